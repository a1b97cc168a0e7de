//! URLs: resolving links, taking URLs apart, their patterns, hosts and registered domains.

pub mod domain;
pub mod links;
pub mod parts;
pub mod pattern;
