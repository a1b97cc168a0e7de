//! Hosts and registered domains, by the public suffix list compiled in.

use url::{Host, Url};

pub fn parse(url: &str) -> Option<Url> {
    Url::parse(url).ok()
}

/// The host of a URL in lower case, if the URL parses and has one.
pub fn host(url: &str) -> Option<String> {
    parse(url)?.host_str().map(str::to_owned)
}

/// The registered domain of a host, or the host itself where there is none (an IP address, a bare name).
pub fn domain(host: &str) -> &str {
    // A host of nothing but a dot is its own domain.
    let host = host.strip_suffix('.').filter(|host| !host.is_empty()).unwrap_or(host);
    if matches!(Host::parse(host), Ok(Host::Ipv4(_) | Host::Ipv6(_))) {
        return host;
    }
    psl::domain_str(host).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains() {
        for (name, expected) in [
            ("www.example.co.uk", "example.co.uk"),
            ("a.b.example.com", "example.com"),
            ("example.com.", "example.com"),
            ("co.uk", "co.uk"),
            ("localhost", "localhost"),
            ("192.0.2.7", "192.0.2.7"),
            ("[2001:db8::1]", "[2001:db8::1]"),
            ("www.brantolume.example", "brantolume.example"),
            ("user.github.io", "user.github.io"),
            ("", ""),
            (".", "."),
        ] {
            assert_eq!(domain(name), expected, "{name}");
        }
    }

    #[test]
    fn hosts() {
        assert_eq!(host("HTTP://WWW.Example.COM:8080/a?b#c").as_deref(), Some("www.example.com"));
        assert_eq!(host("no url"), None);
        assert_eq!(host("mailto:a@b"), None);
    }
}
