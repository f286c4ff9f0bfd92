# Two commands set everything up on a fresh machine with Swift 6.3: `make demo` and `make test`.
# One release build serves both, so that what is tested is what runs.

PACKAGES := libssl-dev libsqlite3-dev sqlite3 openssl curl jq python3-jwt python3-cryptography libpq5 postgresql-15 \
    softhsm2 python3-pykcs11
SKAN := .build/release/skan
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c

# After how long `make test` gives up.
TEST_SECONDS := 1800

# How many cases `make fuzz` puts to our verification and to OpenSSL, a curve, and to our framing and to NIO's decoder.
CASES := 1000000

# Which schemathesis `make schemathesis` runs, where it is kept, and how many requests it makes up for each operation.
SCHEMATHESIS_VERSION := 4.32.5
SCHEMATHESIS := .build/schemathesis-$(SCHEMATHESIS_VERSION)
EXAMPLES := 100

# What reads an export in a test: pandas and DuckDB from PyPI, kept beside the build.
PANDAS_VERSION := 3.1.1
DUCKDB_VERSION := 2.0.1
FRAMES := .build/pandas-$(PANDAS_VERSION)-duckdb-$(DUCKDB_VERSION)

# How often `make test-cluster` kills the leader.
KILLS := 10

# What `make bench` measures and how: PARTS=verify,ingest for single parts, BENCH_OPTIONS="--rows 1000000 --keep"; all
# are named by BENCH_OPTIONS=--help.
PARTS :=
BENCH_OPTIONS :=

# Where `make release` puts what it ships, and where `make install` puts that: the binary, completions for bash, zsh and
# fish, and manual pages. DESTDIR is put before PREFIX, for those who make packages.
RELEASE := .build-release
PREFIX := /usr/local
DESTDIR :=

SOURCES := Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources/skan-bench

.PHONY: demo test test-page test-alerts test-cluster test-debian fuzz schemathesis bench bench-nodes build release \
    install tests samples \
    format lint packages clean

demo: build
	samples/demo.sh $(SKAN)

# Bounded, so that a test that hangs fails the run instead of holding it up.
test: PACKAGES += python3-venv
test: lint tests $(FRAMES)/installed
	TEST_FRAMES=$(CURDIR)/$(FRAMES) Tests/run.sh $(TEST_SECONDS)

# Without PyPI there is one test less, which says so.
$(FRAMES)/installed: | packages
	python3 -m venv $(FRAMES) && $(FRAMES)/bin/pip install --quiet --disable-pip-version-check \
	    pandas==$(PANDAS_VERSION) duckdb==$(DUCKDB_VERSION) \
	    && touch $@ || echo "PyPI gives no pandas and DuckDB: no test reads an export with them"

# Three nodes on Patroni with etcd, in part through PgBouncer, whose leader is killed KILLS times; about ten minutes.
test-cluster: PACKAGES += patroni etcd-server pgbouncer python3-etcd procps util-linux
test-cluster: build
	KILLS=$(KILLS) Tests/cluster/run.py $(SKAN)

# Every page in headless Chromium, on a phone and on screens, light and dark; a few minutes.
test-page: PACKAGES += chromium python3-websocket
test-page: build
	timeout 1500 python3 Tests/pages/run.py $(SKAN) .build/pages

# The alerting rules, each firing once where it must and once where it must not, and the queries of Grafana's dashboard.
test-alerts: PACKAGES := prometheus jq
test-alerts: packages
	promtool check rules contrib/prometheus/skan.rules.yaml
	promtool test rules contrib/prometheus/skan.test.yaml
	mkdir -p .build
	jq '[.. | .expr? // empty | gsub("[$$]__(rate_interval|range)"; "5m")]' contrib/grafana/skan.json \
	    | jq '{groups: [{name: "dashboard", rules: [to_entries[] | {record: "query:\(.key)", expr: .value}]}]}' \
	    >.build/dashboard.rules.yaml
	promtool check rules .build/dashboard.rules.yaml

# What a postback costs one, two and three nodes on one database, beside a plain receiver in Go where there is one.
bench-nodes: PACKAGES += procps util-linux
bench-nodes: build
	Tests/cluster/ingest.py $(SKAN)

# The differential tests of the verification against OpenSSL and of the framing against NIOHTTP1, at length.
fuzz: tests
	SKAN_FUZZ_CASES=$(CASES) swift test --configuration release --skip-build --filter 'FixedKeyECDSATests|FramingFuzzTests'

# Requests made from openapi.yaml, put to the three listeners; needs the network once, to install schemathesis beside the build.
schemathesis: PACKAGES += python3-venv
schemathesis: build $(SCHEMATHESIS)/bin/schemathesis
	EXAMPLES=$(EXAMPLES) Tests/schemathesis/run.sh $(SKAN) $(SCHEMATHESIS)/bin/schemathesis

$(SCHEMATHESIS)/bin/schemathesis:
	python3 -m venv $(SCHEMATHESIS)
	$(SCHEMATHESIS)/bin/pip install --quiet --disable-pip-version-check schemathesis==$(SCHEMATHESIS_VERSION)

# Every bar against its reference, about fifteen minutes; nothing else should run on the machine meanwhile.
bench: build
	swift build --configuration release --package-path Benchmarks
	Benchmarks/.build/release/skan-bench --skan $(SKAN) $(if $(PARTS),--parts $(PARTS)) $(BENCH_OPTIONS)

build: packages
	swift build --configuration release --product skan

# What is shipped: the binary that the tests run, without symbols, and with its commit in `skan version`.
release: PACKAGES := libssl-dev libsqlite3-dev binutils
release: build
	rm -rf $(RELEASE)/shipped
	mkdir -p $(RELEASE)/shipped
	commit="$$(git describe --always --dirty --abbrev=7 --exclude='*' 2>/dev/null || echo unknown)"; \
	    printf '%s' "$$commit" >$(RELEASE)/commit && truncate --size 32 $(RELEASE)/commit
	objcopy --strip-all --update-section skan_commit=$(RELEASE)/commit $(SKAN) $(RELEASE)/shipped/skan
	$(RELEASE)/shipped/skan completion bash >$(RELEASE)/shipped/skan.bash
	$(RELEASE)/shipped/skan completion zsh >$(RELEASE)/shipped/_skan
	$(RELEASE)/shipped/skan completion fish >$(RELEASE)/shipped/skan.fish
	$(RELEASE)/shipped/skan manual --output $(RELEASE)/shipped/man1

# What `make release` built, installed on a Debian of its own that has no Swift; needs root, and the mirror once.
test-debian: PACKAGES := debootstrap
test-debian: packages
	Tests/debian/run.sh $(RELEASE)/debian

# Builds nothing, so that `make release && sudo make install` leaves no files of root's in the folder.
install:
	@test -x $(RELEASE)/shipped/skan || { echo "there is nothing to install yet: make release"; exit 1; }
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,bin share/bash-completion/completions share/zsh/site-functions \
	    share/fish/vendor_completions.d share/man/man1)
	install -m 755 $(RELEASE)/shipped/skan $(DESTDIR)$(PREFIX)/bin/skan
	install -m 644 $(RELEASE)/shipped/skan.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/skan
	install -m 644 $(RELEASE)/shipped/_skan $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_skan
	install -m 644 $(RELEASE)/shipped/skan.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/skan.fish
	install -m 644 $(RELEASE)/shipped/man1/*.1 $(DESTDIR)$(PREFIX)/share/man/man1

# Builds the tests and runs none. Without @testable they are compiled as `make demo` compiles, and what is tested is what
# runs; only `swift test` can be told so. Some run skan, on which no target can depend: see Package.swift.
tests: build
	swift test --configuration release --disable-testable-imports --filter '^$$'

# What the README's commands use; committed, and verified by the tests.
samples: build
	rm -rf samples/postbacks samples/simulated
	$(SKAN) selftest --write samples/postbacks
	$(SKAN) simulate --count 40 --faults 0 --keys samples/simulated --output samples/simulated
	rm samples/simulated/test-p192.pem samples/simulated/test-p256.pem

format:
	swift format --in-place --recursive $(SOURCES)

lint:
	swift format lint --strict --recursive $(SOURCES)

# Installs what is missing, where that can be done without asking.
packages:
	@missing=""; for package in $(PACKAGES); do \
	    dpkg-query --show --showformat '$${Status}' $$package 2>/dev/null | grep -q 'ok installed' \
	        || missing="$$missing $$package"; done; \
	if [ -n "$$missing" ]; then \
	    echo "installing$$missing"; \
	    if [ "$$(id -u)" = 0 ]; then sudo=""; else sudo="sudo -n"; fi; \
	    $$sudo apt-get update -qq && $$sudo apt-get install -y -qq $$missing \
	        || { echo "install them yourself: apt-get install$$missing"; exit 1; }; \
	fi

clean:
	rm -rf .build $(RELEASE) Benchmarks/.build
