"""The Debian packages that the truth bench reads, and which of them defaults may be chosen on.

681 small packages of documentation, drawn by the hash of their names from all that Debian has, so that
generators come as often as they do there, and with them the small packages of the benchmark corpus, which has
the rare ones. None is larger than 1.5 MB.
"""

from __future__ import annotations

import hashlib

_NAMES = """
    alure-doc analog angelscript-doc aodh-doc apt-doc aptitude-doc-cs aptitude-doc-es aptitude-doc-fi
    aptitude-doc-fr aptitude-doc-it aptitude-doc-ja aptitude-doc-nl aptitude-doc-ru asciidoctor-doc
    aspectj-doc aspell-doc auctex augeas-doc auto-multiple-choice-doc autoconf-archive autogen-doc
    awesome-doc awl-doc basix-doc beets-doc bibletime-data bisonc++-doc bochs-doc brickos-doc buildbot-doc
    bumblebee-status-doc c++-annotations-html camping cargo-doc caspar-doc cbflib-doc ceilometer-doc
    ceres-solver-doc cflow-doc charliecloud-doc coinor-libvol-doc coop-computing-tools-doc
    cpl-plugin-giraf-doc ctsim-doc davical-doc dblatex-doc dbus-1-doc debian-faq debian-faq-de
    debian-faq-fr debian-faq-it debian-faq-ja debian-faq-ko debian-faq-nl debian-faq-pt debian-faq-ru
    debian-faq-zh-cn debian-policy-ja developers-reference developers-reference-de developers-reference-fr
    developers-reference-it developers-reference-ja developers-reference-ru dita-ot-doc docbook-dsssl-doc
    docbook-xsl-doc-html dpuser-doc e2guardian elastalert-doc elinks-doc erlang-esdl-doc erlang-proper-doc
    espeak evolution-data-server-doc execline-doc exim4-doc-html fastd-doc fbb feed2exec-doc
    fflas-ffpack-dev-doc fflas-ffpack-user-doc firebird3.0-doc flex-doc forge-doc freetds-doc
    freezer-api-doc funnelweb-doc fwbuilder-doc fweb-doc fwupd-doc gambc-doc gamgi-doc gap-grape
    garlic-doc geographiclib-doc gettext-doc git-buildpackage gm-assistant-doc gnome-calls-doc gnugo
    gnustep-gui-doc gnustep-make-doc gosa-help-de gosa-help-fr gprbuild-doc gpsbabel-doc gradle-doc
    gri-html-doc gss-doc harden-doc hercules htdig-doc httrack-doc inkscape-textext-doc ivar-doc ivy-doc
    iwidgets4-doc janus-doc javacc-doc jglobus-doc jing-trang-doc jpeg-xl-doc jquery-alternative-doc
    junit-doc junit4-doc jython-doc khal-doc knot-doc kst-doc kwalify kyotocabinet-doc latex2rtf-doc
    libaccounts-qt-doc libaccountsservice-doc libags-gui-doc libam7xxx0.1-doc libanimal-sniffer-java-doc
    libapache-asp-perl libapache2-mod-perl2-doc libapache2-mod-python-doc libapt-pkg-doc libatk1.0-doc
    libavogadro-doc libaxis-java-doc libbabl-doc libbash-doc libbatteries-ocaml-doc libbcel-java-doc
    libbluray-doc libbox2d-doc libcairo2-doc libcairomm-1.0-doc libcairomm-1.16-doc libcalendar-ocaml-doc
    libcassie-doc libccrtp-doc libcdi-api-java-doc libcereal-doc libcglm-doc libcheese-doc libcifti-doc
    libclaw-doc libclutter-1.0-doc libclutter-gtk-1.0-doc libcmdliner-ocaml-dev libcolt-free-java-doc
    libcommons-beanutils-java-doc libcommons-httpclient-java-doc libcommons-lang3-java-doc
    libcontent-hub-doc libcorkipset-doc libcpprest-doc libcsfml-doc libcubeb-doc libcupt4-doc libcyaml-doc
    libdata-stag-perl libdatrie-doc libdbi-doc libdbus-glib-1-doc libdc1394-doc libdconf-doc libdime-doc
    libdiscid-doc libeliom-ocaml-doc libevhtp-doc libexcalibur-logkit-java-doc libexif-doc
    libextlib-ocaml-dev libfelix-utils-java-doc libfest-assert-java-doc libfest-util-java-doc libfftw3-doc
    libfido2-doc libfixbuf-doc libflatpak-doc libfolks-doc libfolks-telepathy-doc libformula-java-doc
    libfreeimageplus-doc libfreenect-doc libfrobby-doc libg3d-doc libgavl-doc libgearman-doc
    libgeoclue-doc libgeos-doc libgeronimo-validation-1.0-spec-java-doc libghc-bloomfilter-doc
    libghc-bytestring-lexing-doc libghc-czipwith-doc libghc-fclabels-doc libghc-from-sum-doc
    libghc-ghc-lib-parser-ex-doc libghc-haddock-library-doc libghc-hscolour-doc libghc-hxt-doc
    libghc-iproute-doc libghc-mtlparse-doc libghc-pwstore-fast-doc libghc-recaptcha-doc libghc-repa-doc
    libghc-some-doc libghc-unlambda-doc libghc-yesod-core-doc libghc-yi-keymap-emacs-doc libgimp2.0-doc
    libgirara-doc libgirepository1.0-doc libgladeui-doc libglfw3-doc libglobus-gram-client-doc
    libglobus-gsi-callback-doc libglobus-gsi-openssl-error-doc libglobus-gssapi-error-doc
    libglobus-rsl-doc libglobus-scheduler-event-generator-doc libglobus-xio-gsi-driver-doc libgluegen2-doc
    libglyr-doc libgnatcoll-db-doc libgnatcoll-doc libgnome-desktop-doc libgnome-panel-doc libgoa-1.0-doc
    libgoffice-0.10-doc libgom-1.0-doc libgpiod-doc libgpiv3-doc libgsound-doc libgupnp-dlna-doc
    libgwenhywfar-doc libgwyddion20-doc libhtml-mason-perl-doc libical-doc libinfinity-0.7-doc
    libiniparser-doc libinsane-doc libisfreetype-java-doc libixion-doc libjameica-datasource-java-doc
    libjameica-util-java-doc libjansson-doc libjaxb-java-doc libjexcelapi-java-doc libjlha-java-doc-ja
    libjnr-netdb-java-doc libjs-jquery-ui-docs libjs-pie-doc libjs-spectre-docs libjson-glib-doc
    libjsoncpp-doc libjsonrpc-glib-doc libjsoup-java-doc libjts-java-doc libkcapi-doc
    liblablgtk-extras-ocaml-doc liblablgtk2-ocaml-doc liblaf-plugin-java-doc liblog4j1.2-java-doc
    liblogback-java-doc liblscp-doc libmaven-shared-jar-java-doc libmediaart-doc libminlog-java-doc
    libmission-control-plugins-doc libmlpost-ocaml-doc libmongo-client-doc libmongoc-doc libmpfr-doc
    libmspub-doc libnet1-doc libnetfilter-conntrack-doc libnetfilter-queue-doc libnewlib-doc libnma-doc
    libnotify-doc libnunit-doc liboasis-ocaml-doc libocamlgraph-ocaml-doc libocamlnet-ocaml-doc
    libocamlviz-ocaml-doc libodsstream-doc libognl-java-doc libomp-19-doc libomxil-bellagio-doc liboop-doc
    libopenexr-doc libopenmpt-doc libopm-models-doc libopusfile-doc liborcus-doc libosmo-sigtran-doc
    libosmocodec-doc libosmocoding-doc libosmocore-doc libpango1.0-doc libpangomm-2.48-doc
    libpdfbox-java-doc libperl4caml-ocaml-doc libpicard-java-doc libplank-doc libplayerctl-doc
    libpoppler-glib-doc libprelude-doc libqcheck-ocaml-doc libqhull-doc libqmi-glib-doc libquazip-doc
    libquazip1-qt5-doc libquicktime-doc libraw-doc libreflectasm-java-doc librest-doc librostlab-blast-doc
    librostlab-doc librtr-doc libsemver-java-doc libserp-java-doc libsfml-doc libshumate-doc
    libsidplayfp-doc libsilly-doc libslicot-doc libsord-doc libsoup-3.0-doc libspandsp-doc libsphde-doc
    libsphinxbase-doc libstarlink-pal-doc libstaroffice-doc libstatgen-doc libstax-java-doc
    libsuper-csv-java-doc libsuperlu-doc libsvgpp-doc libsvnclientadapter-java-doc libswingx-java-doc
    libtag1-doc libtelepathy-farstream-doc libtelepathy-glib-doc libtheora-doc libtiff-doc libtool-doc
    libtopkg-ocaml-dev libtraceevent-doc libtracefs-doc libtrove-java-doc libtss2-doc
    libtypesafe-config-java-doc libvdk2-doc libvecmath-java-doc libvips-doc libvkd3d-doc libvte-2.91-doc
    libvte-2.91-gtk4-doc libwala-java-doc libwebkit2gtk-4.0-doc libwebsocketpp-doc libwpd-doc
    libwreport-doc libwslay-doc libx265-doc libxbase64-doc libxext-doc libxml-commons-resolver1.1-java-doc
    libxml2-doc libxmlgraphics-commons-java-doc libxsimd-doc libyaml-snake-java-doc libzarith-ocaml-doc
    libzen-doc libzinnia-doc libzipios++-doc libzmf-doc libzookeeper-java-doc libzycore-doc lightsquid
    lilypond-doc-html-cs lilypond-doc-html-hu lilypond-doc-html-zh lirc-doc live-manual-html lmdb-doc
    loggerhead-doc lomiri-connectivity-doc lp-solve-doc lua-penlight-dev lua-posix-dev lua-sql-doc
    lua-wsapi-doc luakit luma.oled-doc lv2-c++-tools-doc lynx-common mailman3-doc mailutils-doc
    maint-guide maint-guide-ca maint-guide-de maint-guide-es maint-guide-fr maint-guide-it maint-guide-ja
    maint-guide-ru maint-guide-zh-cn maint-guide-zh-tw mapproxy-doc mcollective-doc mecab mhonarc
    mkdocs-doc modemmanager-doc mopidy-doc mpich-doc mplayer-doc mrtrix3-doc namazu2-common ncurses-doc
    ne-doc nethack-spoilers nim-doc node-nouislider-doc numba-doc ocsigenserver-doc omake-doc opendbx-doc
    openmpi-doc openvswitch-doc pcb-rnd-doc pd-flext-doc pdb2pqr-doc perlprimer-doc pgpool2 phosh-doc
    php-twig-doc phylip-doc picolisp plc-utils-doc pluma-doc policykit-1-doc postfix-doc primecount-doc
    primesieve-doc proftpd-doc prover9-doc pugixml-doc puredata-doc pylint-doc pypy3-doc python-agate-doc
    python-aioamqp-doc python-aiohttp-security-doc python-authlib-doc python-behave-doc python-black-doc
    python-bottle-doc python-can-doc python-case-doc python-cleo-doc python-cliff-doc python-cotyledon-doc
    python-digitalocean-doc python-django-crispy-forms-doc python-django-crispy-forms-foundation-doc
    python-django-model-utils-doc python-django-mptt-doc python-django-pgschemas-doc
    python-django-polymorphic-doc python-django-sekizai-doc python-django-sitetree-doc
    python-djangorestframework-simplejwt-doc python-flask-autoindex-doc python-flask-session-doc
    python-funcy-doc python-future-doc python-futurist-doc python-gabbi-doc python-gccjit-doc
    python-gevent-doc python-graphql-core-doc python-greenlet-doc python-h5netcdf-doc
    python-hypothesis-doc python-ilorest-doc python-itango-doc python-jellyfish-doc python-jsonpickle-doc
    python-jupyter-core-doc python-lazr.config-doc python-leather-doc python-libdiscid-doc
    python-livereload-doc python-lxml-doc python-m2r-doc python-mako-doc python-mbed-host-tests-doc
    python-murano-pkg-check-doc python-natsort-doc python-network-runner-doc python-neutron-lib-doc
    python-novaclient-doc python-octavia-lib-doc python-os-faults-doc python-os-vif-doc
    python-oslo.config-doc python-oslo.upgradecheck-doc python-parso-doc python-paste-doc
    python-periphery-doc python-pglast-doc python-pil-doc python-plastex-doc python-ppmd-doc
    python-pyaudio-doc python-pybedtools-doc python-pydl-doc python-pyftpdlib-doc python-pygresql-doc
    python-pylatexenc-doc python-pylibacl-doc python-pyluach-doc python-pymeasure-doc
    python-pymediainfo-doc python-pyment-doc python-pymysql-doc python-pyorbital-doc python-pyrcb2-doc
    python-pysnmp4-doc python-pytest-doc python-pytest-mock-doc python-pytest-order-doc python-pywt-doc
    python-quart-doc python-radon-doc python-rdflib-doc python-scrapy-doc python-soundfile-doc
    python-sphinx-multiversion-doc python-sqlobject-doc python-tackerclient-doc python-tap-doc
    python-terminaltables-doc python-tornado-doc python-tosca-parser-doc python-transliterate-doc
    python-txtorcon-doc python-typer-doc python-vine-doc python-watcherclient-doc python-willow-doc
    python-x2go-doc python3-aioresponses-doc python3-aiortc-doc python3-aiosmtplib-doc python3-boolean-doc
    python3-cairo-doc python3-clevercsv-doc python3-clickhouse-driver-doc python3-enlighten-doc
    python3-hawkey-doc python3-headerparser-doc python3-hug-doc python3-marshmallow-doc
    python3-pcbasic-doc python3-pgpy-doc python3-psd-tools-doc python3-sphinx-rst-builder-doc
    pytidylib-doc qbs-doc-html qdbm-doc qtmultimedia5-doc-html qtpdf5-doc-html qtremoteobjects5-doc-html
    qtspeech5-doc-html qtwebview5-doc-html qtxmlpatterns5-doc-html r-doc-html racc rapidjson-doc
    raritan-json-rpc-doc rhythmbox-doc rsyslog-doc ruby-benchmark-ips-doc ruby-benchmark-suite-doc
    ruby-cri-doc ruby-dbus ruby-erubis ruby-expression-parser-doc ruby-haml ruby-http-parser.rb-doc
    ruby-kramdown ruby-mocha-doc ruby-pg ruby-rinku-doc ruby-rmagick-doc ruby-rubymail-doc
    ruby-sentry-raven ruby-settingslogic-doc ruby-uuidtools-doc s3d-doc sahara-doc samhain scheme48-doc
    sdcc-ucsim sdf-doc selinux-policy-doc sendmail-doc senlin-doc sgmls-doc signond-doc simplyhtml-doc
    sip6-doc skalibs-doc skyview-java-doc slepc3.18-doc slib slony1-2-doc source-highlight splint-doc-html
    sqlfluff-doc stardict-common starlink-connect-java-doc starlink-util-java-doc statcvs steghide-doc
    stl-manual surf-alggeo-doc svn-buildpackage sylpheed-doc tap-plugins-doc tcl-snack-doc the-doc tj3
    tklib tla-doc tomcat10-docs transcriber translate-toolkit-doc tryton-server-doc
    ubuntu-packaging-guide-html-de ubuntu-packaging-guide-html-ru ucommon-doc udo-doc-de ufo-core-doc
    varnish-doc velocity-doc vmm-doc w3m weechat-doc weresync-doc why3-doc-html xen-doc xmlformat-doc
    xonsh-doc xotcl-doc xsane-common xtensor-blas-doc yard-doc yorick-doc
"""

PACKAGES: tuple[str, ...] = tuple(_NAMES.split())


def packages_of(part: str) -> tuple[str, ...]:
    """The packages of `train` or `test`."""
    return tuple(package for package in PACKAGES if part_of(package) == part)


def part_of(package: str) -> str:
    """`train` for about half of the packages, `test` for the others: by the hash of the name, for ever.

    >>> part_of("alure-doc"), part_of("analog")
    ('train', 'train')
    """
    return "train" if hashlib.sha256(package.encode()).digest()[0] % 2 else "test"
