"""The Debian packages that the benchmark corpus is made of, grouped by what made most of their pages.

The groups are for readers; labels come from the pages themselves. We want many generators and versions, many
sites per generator, many languages, and charsets older than UTF-8. Packages that are mostly images were left
out, to keep the download near 800 MB.
"""

from __future__ import annotations

SPHINX = """
    python3.11-doc sphinx-doc python-django-doc cmake-doc llvm-14-doc krb5-doc keystone-doc
    python-sqlalchemy-doc python-celery-doc rsyslog-doc buildbot-doc pylint-doc python-fonttools-doc
    libmongoc-doc postgresql-15-pgrouting-doc python-pytest-doc xonsh-doc varnish-doc fish-common
    openvswitch-doc mailman3-doc python-scrapy-doc python-tornado-doc python-pil-doc pypy3-doc
    python-gevent-doc python-brian-doc borgbackup-doc kitty-doc ubuntu-packaging-guide-html-de
    ubuntu-packaging-guide-html-ru python-black-doc python-hypothesis-doc debian-policy brz-doc
    python-rdflib-doc python-nibabel-doc translate-toolkit-doc wireplumber-doc lemonldap-ng-doc twisted-doc
"""
DOXYGEN = """
    doxygen-doc libeigen3-doc libgeos-doc libcrypto++-doc icu-doc libsfml-doc libbox2d-doc libglfw3-doc
    wx3.2-doc libsvn-doc libasound2-doc liblapack-doc clhep-doc libtag1-doc libosmocore-doc libwpd-doc
    libxerces-c-doc libstdc++-12-doc rapidjson-doc libgwenhywfar-doc liblemon-doc libitpp-doc
    libsigc++-2.0-doc libglibmm-2.4-doc geographiclib-doc netcdf-doc libtss2-doc libzipios++-doc
    libquicktime-doc steghide-doc brickos-doc libexiv2-doc liblucene++-doc davical-doc
"""
JAVADOC = """
    openjdk-17-doc libcommons-math3-java-doc libcommons-lang3-java-doc libjfreechart-java-doc ant-doc
    derby-doc fop-doc junit4-doc libapache-poi-java-doc libbiojava-java-doc libxalan2-java-doc groovy-doc
    libhbci4j-core-java-doc libpdfbox-java-doc libjts-java-doc gradle-doc libswingx-java-doc uima-doc
    libfastutil-java-doc libjaxb-java-doc libtrove-java-doc libcolt-free-java-doc velocity-doc
    liblogback-java-doc libjlha-java-doc-ja jython-doc
"""
GTK_DOC = """
    libgtk-3-doc libgtk2.0-doc libgtk-4-doc libglib2.0-doc libpango1.0-doc libtelepathy-glib-doc
    evolution-data-server-doc libgda-5.0-doc libclutter-1.0-doc libvips-doc libgimp2.0-doc libcairo2-doc
    libsoup-3.0-doc libgoffice-0.10-doc libgwyddion20-doc libwebkit2gtk-4.0-doc libqmi-glib-doc libfolks-doc
    fwupd-doc phosh-doc
"""
DOCBOOK = """
    libboost1.74-doc docbook-xsl-doc-html debian-handbook installation-guide-amd64 mplayer-doc
    postgresql-doc-15 slony1-2-doc systemtap-doc solfege-doc genius-common bibletime-data pgpool2 samhain
    git-buildpackage docbook-dsssl-doc libxml2-doc scons-doc gpsbabel-doc openafs-doc freetds-doc
    gtkmm-documentation libmysql++-doc glom-doc debian-history aptitude-doc-cs aptitude-doc-es
    aptitude-doc-fi aptitude-doc-fr aptitude-doc-it aptitude-doc-ja aptitude-doc-nl aptitude-doc-ru
    debian-reference-de debian-reference-es debian-reference-fr debian-reference-it debian-reference-ja
    debian-reference-pt-br debian-reference-zh-cn debian-reference-zh-tw maint-guide maint-guide-ca
    maint-guide-de maint-guide-es maint-guide-fr maint-guide-it maint-guide-ja maint-guide-ru
    maint-guide-zh-cn maint-guide-zh-tw svn-buildpackage developers-reference developers-reference-de
    developers-reference-fr developers-reference-it developers-reference-ja developers-reference-ru
    harden-doc debian-faq debian-faq-de debian-faq-fr debian-faq-it debian-faq-ja debian-faq-ko
    debian-faq-nl debian-faq-pt debian-faq-ru debian-faq-zh-cn debian-policy-ja sylpheed-doc apt-doc
"""
ASCIIDOC = """
    git-doc nut-doc weechat-doc libtracefs-doc libtraceevent-doc debmake-doc
"""
TEXINFO = """
    lilypond-doc-html lilypond-doc-html-de lilypond-doc-html-es lilypond-doc-html-fr lilypond-doc-html-ja
    lilypond-doc-html-zh lilypond-doc-html-cs lilypond-doc-html-hu octave-doc autogen-doc mit-scheme-doc
    gcl-doc zsh-doc mailutils-doc texinfo libfftw3-doc flex-doc ne-doc libnewlib-doc ffmpeg-doc
    asymptote-doc yorick-doc geomview gettext-doc sbcl-doc libmpfr-doc gnugo mailfromd-doc slib auctex
    libforms-doc lilypond-doc-html-it
"""
TEX = """
    swi-prolog-doc gnuplot-doc calculix-ccx-doc texlive-lang-polish dx-doc fweb-doc libcfitsio-doc ctsim-doc
    haskell98-report c++-annotations-html omake-doc gap-doc gap-grape fp-docs-3.2.2 why3-doc-html latex2html
    smlnj-doc sdcc-ucsim cmucl-docs openmpi-doc evolver-doc libstarlink-ast-doc python-plastex-doc
    auto-multiple-choice-doc drgeo-doc
"""
PERL_RUBY_LUA = """
    rt4-doc-html libimage-exiftool-perl libapache2-mod-perl2-doc libdata-stag-perl libchado-perl
    libapache-asp-perl xen-doc yard-doc ruby-haml ruby-pg ruby-erubis ruby-mocha-doc ruby-dbus ruby-kramdown
    mcollective-doc kwalify camping ruby-rmagick-doc ruby-sentry-raven luakit awesome-doc lua-penlight-dev
    lua-posix-dev lua-sql-doc asciidoctor-doc
"""
FUNCTIONAL = """
    libghc-xmonad-contrib-doc libghc-lens-doc libghc-yesod-core-doc libghc-hxt-doc libocamlgraph-ocaml-doc
    liblablgtk2-ocaml-doc libocamlnet-ocaml-doc libbatteries-ocaml-doc libjs-of-ocaml-doc
    libextlib-ocaml-dev libtopkg-ocaml-dev libcmdliner-ocaml-dev libcoq-mathcomp agda-stdlib-doc picolisp
"""
OTHER_GENERATORS = """
    rust-doc cargo-doc nim-doc crystal-doc pike8.0-doc qt3d5-doc-html qtlocation5-doc-html
    qtmultimedia5-doc-html qbs-doc-html qtcharts5-doc-html python-lxml-doc python-paste-doc awl-doc
    php-twig-doc gnustep-base-doc gnustep-gui-doc slepc3.18-doc mpich-doc tcllib tklib augeas-doc
    selinux-policy-doc raritan-json-rpc-doc autoconf-archive speech-tools-doc stl-manual libvdk2-doc
    libfann-doc libplank-doc gdl-astrolib nodejs-doc mkdocs-doc python-typer-doc
    python-django-crispy-forms-doc ikiwiki mhonarc statcvs sgmls-doc sdf-doc udo-doc-de libreoffice-help-ja
    libreoffice-help-ru libreoffice-help-zh-tw libreoffice-help-ko libreoffice-help-hi libreoffice-help-el
    libreoffice-help-de libreoffice-help-en-us omegat funnelweb-doc aspectj-doc dita-ot-doc
    libjs-jquery-ui-docs jquery-alternative-doc iwidgets4-doc xotcl-doc source-highlight libfido2-doc
    live-manual-html scala-doc cppreference-doc-en-html ncurses-doc tj3
"""
HAND_WRITTEN = """
    sqlite3-doc apache2-doc libvirt-doc postfix-doc exim4-doc-html proftpd-doc slurm-wlm-doc libtiff-doc
    fontforge-doc lirc-doc vim-doc lp-solve-doc plc-utils-doc libslicot-doc geotranz-doc gamgi-doc
    aplus-fsf-doc anarchism grads xfig-doc nted-doc analog htdig-doc lynx-common httrack-doc swig4.0-doc
    libqhull-doc sendmail-doc execline-doc skalibs-doc phylip-doc pcb-rnd-doc hercules fbb xsane-common
    mecab kyotocabinet-doc qdbm-doc gosa-help-de gosa-help-fr sgt-puzzles kvirc-data eyes17 scite lightsquid
    stardict-common nethack-spoilers transcriber tipp10 doublecmd-help-ru doublecmd-help-uk espeak
    texworks-help-fr ngraph-gtk-doc optgeo e2guardian namazu2-common w3m racc w3c-markup-validator
    fwbuilder-doc gri-html-doc
"""

# The order decides only which packages give one page more when a corpus does not divide evenly.
PACKAGES: tuple[str, ...] = tuple(
    " ".join(
        (
            *(SPHINX, DOXYGEN, JAVADOC, GTK_DOC, DOCBOOK, ASCIIDOC, TEXINFO, TEX),
            *(PERL_RUBY_LUA, FUNCTIONAL, OTHER_GENERATORS, HAND_WRITTEN),
        )
    ).split()
)
