//! Where values stand in a long column: made once, asked for many short columns.
//!
//! Build the lookup once: per batch it would be quadratic.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, BooleanArray, Int64Array};
use arrow_schema::{ArrowError, DataType};
use hashbrown::HashMap;

/// The values of a column, to be found again. Nothing stands for null.
pub enum KeyLookup {
    /// Numbers in ascending order, each with its first place.
    Numbers(Vec<i64>, Vec<i64>),
    /// Numbers that came in ascending order, each once: a number's place is where it is.
    Ascending(Vec<i64>),
    /// Names with their first places.
    Names(HashMap<Box<str>, i64>),
}

impl KeyLookup {
    /// Of a column of 64-bit integers or strings.
    pub fn new(values: &dyn Array) -> Result<Self, ArrowError> {
        match values.data_type() {
            DataType::Int64 => Ok(Self::from_numbers(values.as_primitive())),
            DataType::Utf8 => {
                let mut places: HashMap<Box<str>, i64> = HashMap::new();
                for (place, name) in values.as_string::<i32>().iter().enumerate() {
                    if let Some(name) = name.filter(|name| !places.contains_key(*name)) {
                        places.insert(name.into(), place as i64);
                    }
                }
                Ok(KeyLookup::Names(places))
            }
            other => Err(ArrowError::SchemaError(format!("places of {other} are not known"))),
        }
    }

    fn from_numbers(values: &Int64Array) -> Self {
        if values.null_count() == 0 && values.values().is_sorted_by(|a, b| a < b) {
            return KeyLookup::Ascending(values.values().to_vec());
        }
        let mut both: Vec<(i64, i64)> = values.iter().zip(0..).filter_map(|(value, at)| Some((value?, at))).collect();
        both.sort_unstable();
        both.dedup_by_key(|pair| pair.0);
        let (numbers, places) = both.into_iter().unzip();
        KeyLookup::Numbers(numbers, places)
    }

    /// The first place of each key; null where there is none.
    pub fn index_of(&self, keys: &dyn Array) -> Result<Int64Array, ArrowError> {
        match (self, keys.as_primitive_opt::<Int64Type>(), keys.as_string_opt::<i32>()) {
            (KeyLookup::Ascending(all), Some(keys), _) => {
                Ok(keys.iter().map(|key| Some(all.binary_search(&key?).ok()? as i64)).collect())
            }
            (KeyLookup::Numbers(all, places), Some(keys), _) => {
                Ok(keys.iter().map(|key| Some(places[all.binary_search(&key?).ok()?])).collect())
            }
            (KeyLookup::Names(places), _, Some(keys)) => Ok(keys.iter().map(|key| places.get(key?).copied()).collect()),
            _ => Err(ArrowError::SchemaError(format!("keys of another type: {}", keys.data_type()))),
        }
    }

    /// Whether each key has a place.
    pub fn contains(&self, keys: &dyn Array) -> Result<BooleanArray, ArrowError> {
        Ok(self.index_of(keys)?.iter().map(|place| Some(place.is_some())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::StringArray;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_first_place_of_each(
            mut values in prop::collection::vec(prop::option::of(-9i64..9), 0..20),
            keys in prop::collection::vec(prop::option::of(-12i64..12), 0..20),
            sorted in any::<bool>(),
        ) {
            if sorted {
                values = values.into_iter().filter(Option::is_some).collect();
                values.sort_unstable();
                values.dedup();
            }
            let first = |key: &Option<i64>| {
                key.and_then(|key| values.iter().position(|value| *value == Some(key))).map(|at| at as i64)
            };
            let expected: Int64Array = keys.iter().map(first).collect();
            let holds: BooleanArray = keys.iter().map(|key| Some(first(key).is_some())).collect();
            let numbers = KeyLookup::new(&Int64Array::from(values.clone())).unwrap();
            let wanted = Int64Array::from(keys.clone());
            prop_assert_eq!(&numbers.index_of(&wanted).unwrap(), &expected);
            prop_assert_eq!(&numbers.contains(&wanted).unwrap(), &holds);
            let name = |all: &[Option<i64>]| all.iter().map(|v| v.map(|v| v.to_string())).collect::<StringArray>();
            let names = KeyLookup::new(&name(&values)).unwrap();
            prop_assert_eq!(&names.index_of(&name(&keys)).unwrap(), &expected);
            prop_assert_eq!(&names.contains(&name(&keys)).unwrap(), &holds);
            prop_assert!(names.index_of(&wanted).is_err());
        }
    }
}
