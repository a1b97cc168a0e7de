//! URLs: resolving links, taking URLs apart, hosts and registered domains.

pub mod domain;
pub mod links;
pub mod parts;
