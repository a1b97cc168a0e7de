//! URLs taken apart as they are written: nothing is decoded, resolved or refused.

/// The parts of `scheme://userinfo@host:port/path?query#fragment`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UrlParts<'a> {
    pub scheme: &'a str,
    pub userinfo: Option<&'a str>,
    pub host: &'a str,
    /// Without the colon; none where it is the default of http or https.
    pub port: Option<&'a str>,
    /// With its leading slash; empty if there is none.
    pub path: &'a str,
    pub query: Option<&'a str>,
    pub fragment: Option<&'a str>,
}

/// The parts of a URL with an authority; none for anything else (`mailto:`, relative references).
pub fn split(url: &str) -> Option<UrlParts<'_>> {
    let (scheme, authority, rest) = authority(url)?;
    let (rest, fragment) = cut(rest, '#');
    let (path, query) = cut(rest, '?');
    let (userinfo, host) = match authority.rsplit_once('@') {
        Some((userinfo, host)) => (Some(userinfo), host),
        None => (None, authority),
    };
    let (host, port) = cut_port(host);
    let is_default = |port: &&str| {
        scheme.eq_ignore_ascii_case("http") && *port == "80" || scheme.eq_ignore_ascii_case("https") && *port == "443"
    };
    Some(UrlParts { scheme, userinfo, host, port: port.filter(|port| !is_default(port)), path, query, fragment })
}

/// The host as it is written; empty for a URL without an authority.
pub fn host(url: &str) -> &str {
    let authority = authority(url).map_or("", |parts| parts.1);
    cut_port(authority.rsplit_once('@').map_or(authority, |(_, host)| host)).0
}

/// Scheme, authority, and what follows it.
fn authority(url: &str) -> Option<(&str, &str, &str)> {
    let scheme = scheme(url)?;
    let rest = url[scheme.len()..].strip_prefix("://")?;
    let end = rest.bytes().position(|b| matches!(b, b'/' | b'?' | b'#')).unwrap_or(rest.len());
    Some((scheme, &rest[..end], &rest[end..]))
}

fn cut_port(host: &str) -> (&str, Option<&str>) {
    match host.rfind(':') {
        // The colons of an IPv6 address are inside its brackets.
        Some(colon) if !host.ends_with(']') => (&host[..colon], Some(&host[colon + 1..])),
        _ => (host, None),
    }
}

fn cut(text: &str, at: char) -> (&str, Option<&str>) {
    text.split_once(at).map_or((text, None), |(before, after)| (before, Some(after)))
}

pub fn scheme(href: &str) -> Option<&str> {
    let end = href.bytes().position(|b| matches!(b, b':' | b'/' | b'?' | b'#'))?;
    let scheme = &href[..end];
    let plausible = href.as_bytes()[end] == b':'
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    plausible.then_some(scheme)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use url::Url;

    #[test]
    fn forms() {
        let parts = |scheme, userinfo, host, port, path, query, fragment| {
            Some(UrlParts { scheme, userinfo, host, port, path, query, fragment })
        };
        for (url, expected) in [
            ("http://a.example", parts("http", None, "a.example", None, "", None, None)),
            ("HTTP://A:80/b", parts("HTTP", None, "A", None, "/b", None, None)),
            ("https://a:80/?", parts("https", None, "a", Some("80"), "/", Some(""), None)),
            ("http://u:p@a:81/x?y=/?#z#", parts("http", Some("u:p"), "a", Some("81"), "/x", Some("y=/?"), Some("z#"))),
            ("http://[::1]:8080#f", parts("http", None, "[::1]", Some("8080"), "", None, Some("f"))),
            ("http://[::1]/a:b@c", parts("http", None, "[::1]", None, "/a:b@c", None, None)),
            ("file:///tmp/a", parts("file", None, "", None, "/tmp/a", None, None)),
            ("mailto:a@b", None),
            ("/path", None),
            ("a b://c", None),
            ("", None),
        ] {
            assert_eq!(split(url), expected, "{url}");
        }
    }

    proptest! {
        /// On URLs as the standard writes them, the parts are those of its parser.
        #[test]
        fn as_the_parser(url in "https?://(u(:p)?@)?(a\\.example|\\[::1\\]|192\\.0\\.2\\.1)(:(80|443|81))?(/[a-c:@/]{0,9})?(\\?[a-c=&/?:@]{0,9})?(#[a-c#/?:@]{0,5})?") {
            let parsed = Url::parse(&url).unwrap();
            let found = split(parsed.as_str()).unwrap();
            prop_assert_eq!(found.scheme, parsed.scheme());
            prop_assert_eq!(Some(found.host), parsed.host_str());
            prop_assert_eq!(host(parsed.as_str()), found.host);
            prop_assert_eq!(found.port.map(str::to_owned), parsed.port().map(|port| port.to_string()));
            prop_assert_eq!(found.path, parsed.path());
            prop_assert_eq!(found.query, parsed.query());
            prop_assert_eq!(found.fragment, parsed.fragment());
        }
    }
}
