#!/usr/bin/env python3
"""run.py SKAN OUT: serves simulated traffic, looks at every page in Chromium, and keeps pictures in OUT."""
import contextlib, csv, io, json, os, re, shutil, subprocess, sys, tempfile, time, urllib.error, urllib.parse, urllib.request
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser, LIMIT
import checks, figures, keyboard

skan, out = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
PAGES = {
    'overview': '/', 'performance': '/reports/performance', 'campaigns': '/reports/campaigns',
    'sources': '/reports/sources', 'conversions': '/reports/conversions', 'windows': '/reports/windows',
    'wins': '/reports/wins',
    'redownloads': '/reports/redownloads', 're-engagements': '/reports/re-engagements', 'tiers': '/reports/tiers',
    'revenue': '/reports/revenue', 'costs': '/reports/costs', 'delivery': '/reports/delivery',
    'campaign': '/campaign?where=network=example123.skadnetwork&where=app=525463029&where=source-identifier=5239',
    'explore': '/explore?by=day,app', 'quarantine': '/quarantine',
    'conflicts': '/conflicts', 'delivery-kept': '/quarantine?id=1', 'requeue': '/quarantine/requeue',
    'postback': '/postback?id=1', 'keys': '/keys', 'definitions': '/definitions', 'problem': '/explore?by=nothing',
}
REPORTS = {name: path for name, path in PAGES.items() if path == '/' or path.startswith('/reports/')}
COUNTING = ('/reports', '/explore', '/campaign')
# Texts that break pages which trust them: markup, what turns the order of reading, and what no line can break.
HOSTILE = ('"><script>alert(1)</script>', 'a\u2063b\u202ec', 'n' * 4_000)
failures = []


def check(isRight, words):
    if not isRight:
        failures.append(words)
        print('FAILED:', words, flush=True)


def run(*arguments, cwd, allowed=(0,)):
    done = subprocess.run(['timeout', '120', skan, *arguments], cwd=cwd, capture_output=True, text=True, timeout=150)
    if done.returncode not in allowed:
        raise SystemExit(f'skan {" ".join(arguments)}: {done.returncode}: {done.stderr}')
    return done.stdout.strip()


@contextlib.contextmanager
def serving(folder, *arguments):
    """A server, with the addresses for devices and of its console."""
    log = open(os.path.join(folder, 'log'), 'w')
    server = subprocess.Popen(
        ['timeout', '--kill-after=5', '1400', skan, 'serve', '--listen', '127.0.0.1:0', '--console', '127.0.0.1:0',
         *arguments], cwd=folder, stderr=log, stdout=log)
    try:
        end = time.monotonic() + 30
        while True:
            text = open(log.name).read()
            found = [re.search(f'listening for {name} address=(\\S+)', text) for name in ('postbacks', 'the console')]
            if all(found):
                break
            if server.poll() is not None or time.monotonic() > end:
                raise SystemExit(text)
            time.sleep(0.05)
        yield ['http://' + match[1] for match in found]
    finally:
        server.terminate()
        server.wait(30)


def with_query(path, query):
    return path + ('&' if '?' in path else '?') + query


def fetch(address, **fields):
    return urllib.request.urlopen(urllib.request.Request(address, headers=fields), timeout=LIMIT).read().decode()


def address(console, path, query):
    return console + (with_query(path, query) if query and (path == '/' or path.startswith(COUNTING)) else path)


VIEWS = [(width, scheme) for width in (360, 768, 1440) for scheme in ('light', 'dark')]
FEW = [(360, 'light'), (1440, 'dark')]


def look(browser, console, state, query, views, pages=PAGES):
    """Every page: nothing is wider than the screen, everything has a name and is seen, nothing comes from elsewhere."""
    for name, path in pages.items():
        for width, scheme in views:
            browser.show(width, scheme)
            browser.open(address(console, path, query))
            where = f'{state} {name} {width} {scheme}'
            status = browser.statuses().get(browser.evaluate('location.href'))
            allowed = {'problem': (400,), 'delivery-kept': (200, 404)}.get(name, (200,))
            check(status in allowed, f'{where}: {status}')
            complaints = [text for text in browser.complaints(console) if status == 200 or str(status) not in text]
            check(not complaints, f'{where}: {complaints}')
            check(browser.evaluate(checks.WIDTH) <= 0, f'{where}: wider than the screen')
            for measure in (checks.CONTRAST, checks.STRUCTURE):
                found = browser.evaluate(measure)
                check(not found, f'{where}: {found[:5]}')
            unnamed = [role for role, spoken in browser.names() if not spoken]
            check(not unnamed, f'{where}: without a name: {unnamed[:5]}')
            browser.picture(os.path.join(out, f'{state}-{name}-{width}-{scheme}.png'))
        print(state, name, flush=True)


def keys(browser, console, query):
    """Every page without a mouse."""
    for width in (1440, 360):
        browser.show(width, 'light')
        stops = sum(keyboard.walk(browser, address(console, path, query), check) for path in PAGES.values())
        print(f'keyboard {width}: {stops} stops', flush=True)
    browser.show(1440, 'light')
    followed = 0
    for path in PAGES.values():
        keyboard.skip(browser, address(console, path, query), check)
        followed += keyboard.follow(browser, address(console, path, query), check)
    print(f'keyboard: {followed} links followed', flush=True)
    explore = address(console, '/explore?by=day', query)
    keyboard.fill(browser, explore, 'field-by', 'app', 'by=app', check)
    keyboard.fill(browser, explore, 'field-where', 'app=525463029', 'where=app%3D525463029', check)
    keyboard.fill(browser, console + '/postback', 'field-transaction-id', '6aafb7a5', 'transaction-id=6aafb7a5', check)


def files(browser, console, query):
    """Every table is also a file."""
    links = set()
    for path in PAGES.values():
        browser.open(address(console, path, query))
        links |= set(browser.evaluate(checks.FILES))
    for link in sorted(links):
        with urllib.request.urlopen(link, timeout=LIMIT) as answer:
            lines = list(csv.reader(io.StringIO(answer.read().decode())))
        isTable = answer.headers['Content-Type'].startswith('text/csv') and len({len(line) for line in lines}) == 1
        check(isTable, f'{link}: is no table')
    print(f'{len(links)} files', flush=True)


def compare(browser, console, query):
    """The figures and marks are those of the API, and the rows of the free report those of its file."""
    count = 0
    for name, path in REPORTS.items():
        browser.open(address(console, path, query))
        report = figures.read(fetch(f'{console}/v1/reports/{name}?{query}&format=json'))
        count += figures.compare(browser.evaluate(figures.SECTIONS), report, name, check)
    print(f'{count} cells compared', flush=True)
    query = query + '&by=app&columns=postbacks,installs,redownloads,wins,losses'
    browser.open(f'{console}/explore?{query}')
    shown = browser.evaluate(checks.FIGURES)
    names = ['postbacks', 'installs', 'redownloads', 'wins', 'losses']
    rows = json.loads(fetch(f'{console}/v1/report?{query}&format=json'))['rows']
    expected = [[row['app'], *(str(row[name]) for name in names)] for row in rows]
    check(shown == expected and shown, f'explore: {shown[:3]} is not {expected[:3]}')
    link = browser.evaluate('document.querySelector(".file a").href')
    lines = list(csv.reader(io.StringIO(fetch(link))))[1:]
    check([line for line in lines if line[0] != 'total'] == expected, f'CSV: {lines[:3]}')


def requeue(browser, console):
    """A change has to be confirmed, which a keyboard can do."""
    browser.open(console + '/quarantine/requeue?class=garbage')
    browser.evaluate('document.querySelector("main button").focus()')
    browser.events = []
    browser.press('Enter')
    browser.wait('Page.loadEventFired')
    check(browser.evaluate('!!document.getElementById("outcome")'), 'nothing was judged again')


def login(browser, folder):
    """Logging in with the keyboard alone, and out."""
    token = run('tokens', 'create', '--name', 'person', '--scope', 'report,manage', '--file', 'tokens.json', cwd=folder)
    with serving(folder, '--store', 's.sqlite', '--tokens', 'tokens.json') as (_, console):
        look(browser, console, 'out', '', FEW, {'login': '/login'})
        keyboard.walk(browser, console + '/login', check)
        browser.show(360, 'light')
        browser.open(console + '/explore?by=app')
        check(browser.evaluate('location.pathname') == '/login', 'no login')
        browser.evaluate('document.getElementById("token").focus()')
        browser.call('Input.insertText', text=token)
        browser.events = []
        browser.press('Enter')
        browser.wait('Page.loadEventFired')
        check(browser.evaluate('location.pathname + location.search') == '/explore?by=app', 'not back after the login')
        cookies = browser.call('Network.getCookies')['cookies']
        check(all(c['httpOnly'] and c['sameSite'] == 'Strict' for c in cookies) and cookies, f'cookies: {cookies}')
        browser.events = []
        browser.evaluate('document.querySelector(".logout button").click()')
        browser.wait('Page.loadEventFired')
        check(browser.evaluate('location.pathname') == '/login', 'not logged out')


def hostile(postbacks):
    """What is hostile in fields that are kept as received."""
    for text in HOSTILE:
        body = json.dumps({'version': '4.0', 'ad-network-id': text, 'transaction-id': text}).encode()
        request = urllib.request.Request(postbacks, body, {'Content-Type': 'application/json'})
        try:
            urllib.request.urlopen(request, timeout=LIMIT).read()
        except urllib.error.HTTPError as error:
            check(error.code < 500, f'hostile: {error.code}')


def hostile_pages(console):
    """The pages that show it: deliveries that were kept, and what was asked for."""
    kept = json.loads(fetch(console + '/v1/quarantine?class=garbage'))['deliveries'][-len(HOSTILE):]
    check(len(kept) == len(HOSTILE), f'hostile: {len(kept)} kept')
    text = urllib.parse.quote(HOSTILE[0] + '\u202e' + 'w' * 200)
    return {f'kept-{number}': f'/quarantine?id={delivery["id"]}' for number, delivery in enumerate(kept)} | {
        'condition': f'/reports/sources?where=source-domain={text}', 'search': f'/postback?transaction-id={text}',
        'problem': f'/explore?by={text}'}


def names(folder):
    """Names for what was simulated, hostile too: of 200 letters in one word, markup, and turned around."""
    report = json.loads(run('report', 'campaigns', '--store', 'month.sqlite', '--test', '--format', 'json', cwd=folder))
    rows = [row for section in report['sections'] for row in section['rows'] if row.get('source-identifier')]
    campaigns, seen = [], set()
    for row in rows:
        key = (row['network'], row['app'], row['source-identifier'])
        if key not in seen and len(str(row['source-identifier'])) == 4:
            name = ('w' * 200, 'Winter \u202esale', '<b>Spring</b> & "summer"', 'Autumn')[len(seen) % 4]
            campaigns.append({'name': f'{name} {len(seen)}', 'network': key[0], 'app': int(key[1]),
                              'source-identifier': key[2], 'from': '2020-01-01'})
            seen.add(key)
    apps = [{'id': int(app), 'name': HOSTILE[number % 2] + str(number)}
            for number, app in enumerate(sorted({row['app'] for row in rows}))]
    with open(os.path.join(folder, 'names.json'), 'w') as file:
        json.dump({'version': 1, 'apps': apps, 'campaigns': campaigns}, file)


def main():
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    browser = Browser()
    with tempfile.TemporaryDirectory(prefix='skan-pages-') as folder:
        try:
            run('simulate', 'keys', '--keys', 'keys', cwd=folder)
            trusted = [
                word for name in ('p192', 'p256') for word in ('--trust-test-key', f'keys/test-{name}.public.pem')]
            with serving(folder, '--store', 's.sqlite', *trusted) as (postbacks, console):
                look(browser, console, 'empty', '', FEW)
                run('simulate', '--count', '5', '--faults', '0', '--keys', 'keys', '--post',
                    postbacks + '/skadnetwork/postbacks', cwd=folder)
                look(browser, console, 'little', 'provenance=test', FEW, REPORTS)
            run('simulate', '--count', '3000', '--days', '30', '--keys', 'keys', '--store', 'month.sqlite', cwd=folder)
            names(folder)
            with serving(folder, '--store', 'month.sqlite', '--campaigns', 'names.json', *trusted) as (
                    postbacks, console):
                # Today's, with every fault.
                run('simulate', '--count', '200', '--keys', 'keys', '--post', postbacks + '/skadnetwork/postbacks',
                    cwd=folder, allowed=(0, 1))
                hostile(postbacks + '/skadnetwork/postbacks')
                query = 'provenance=test'
                look(browser, console, 'month', query, VIEWS)
                look(browser, console, 'year', query + '&period=365d', FEW, REPORTS)
                look(browser, console, 'hostile', query, VIEWS, hostile_pages(console))
                compare(browser, console, query)
                compare(browser, console, query + '&period=today')
                files(browser, console, query)
                keys(browser, console, query)
                requeue(browser, console)
            login(browser, folder)
        finally:
            browser.close()
    print(f'{len(os.listdir(out))} pictures in {out}')
    if failures:
        raise SystemExit(f'{len(failures)} checks FAILED')
    print('all pages are as they should be')


main()
