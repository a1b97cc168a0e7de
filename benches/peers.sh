#!/usr/bin/env bash
# python-ssdeep has no wheels, and its old setup script needs an old setuptools and the headers of libfuzzy.
set -euo pipefail
pip=$1
"$pip" show --quiet ssdeep 2>/dev/null && exit 0
if [ ! -e /usr/include/fuzzy.h ]; then
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "the bench fuzzy needs the headers of libfuzzy (Debian: libfuzzy-dev)" >&2
    exit 1
  fi
  apt-get install -y -qq --no-install-recommends libfuzzy-dev >/dev/null
fi
"$pip" install --quiet 'setuptools<81' wheel cffi six
"$pip" install --quiet --no-build-isolation ssdeep
