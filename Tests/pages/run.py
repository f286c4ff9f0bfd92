#!/usr/bin/env python3
"""run.py SKAN OUT: serves simulated traffic, looks at every page in Chromium, and keeps pictures in OUT."""
import csv, io, json, os, re, shutil, subprocess, sys, tempfile, time, urllib.request
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser
import checks

skan, out = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
PAGES = {
    'overview': '/', 'campaigns': '/reports/campaigns', 'sources': '/reports/sources',
    'conversions': '/reports/conversions', 'windows': '/reports/windows', 'wins': '/reports/wins',
    'redownloads': '/reports/redownloads', 're-engagements': '/reports/re-engagements', 'tiers': '/reports/tiers',
    'delivery': '/reports/delivery', 'explore': '/explore?by=day,app', 'quarantine': '/quarantine',
    'conflicts': '/conflicts', 'postback': '/postback?id=1', 'keys': '/keys', 'definitions': '/definitions',
    'problem': '/explore?by=nothing',
}
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


def serve(folder, *arguments):
    log = open(os.path.join(folder, 'log'), 'w')
    server = subprocess.Popen(
        ['timeout', '800', skan, 'serve', '--listen', '127.0.0.1:0', '--console', '127.0.0.1:0', '--store', 's.sqlite',
         *arguments], cwd=folder, stderr=log, stdout=log)
    end = time.monotonic() + 30
    while time.monotonic() < end:
        text = open(log.name).read()
        found = [re.search(f'listening for {name} address=(\\S+)', text) for name in ('postbacks', 'the console')]
        if all(found):
            return server, *('http://' + match[1] for match in found)
        if server.poll() is not None:
            break
        time.sleep(0.05)
    raise SystemExit(open(log.name).read())


def with_query(path, query):
    return path + ('&' if '?' in path else '?') + query


def fetch(address, **fields):
    return urllib.request.urlopen(urllib.request.Request(address, headers=fields), timeout=20).read().decode()


def look(browser, console, state, query, widths):
    for name, path in PAGES.items():
        address = console + (with_query(path, query) if path == '/' or path.startswith(('/reports', '/explore')) else path)
        for width in widths:
            for scheme in ('light', 'dark'):
                browser.show(width, scheme)
                browser.open(address)
                where = f'{state} {name} {width} {scheme}'
                complaints = browser.complaints(console)
                if name == 'problem':
                    complaints = [text for text in complaints if '400' not in text]
                check(not complaints, f'{where}: {complaints}')
                check(browser.evaluate(checks.WIDTH) <= 0, f'{where}: wider than the screen')
                for measure in (checks.CONTRAST, checks.STRUCTURE):
                    found = browser.evaluate(measure)
                    check(not found, f'{where}: {found[:5]}')
                browser.picture(os.path.join(out, f'{state}-{name}-{width}-{scheme}.png'))
        print(state, name, flush=True)


def walk(browser, address):
    """Tab reaches everything once, and shows where it is; the skip link comes first."""
    browser.show(1440, 'light')
    browser.open(address)
    reachable, names = browser.evaluate(checks.REACHABLE), []
    for _ in range(reachable + 5):
        browser.press('Tab')
        focus = browser.evaluate(checks.FOCUS)
        if focus is None or focus['again']:
            break
        names.append(focus['name'])
        check(focus['visible'], f'{address}: no visible focus on {focus}')
    check(names[:1] == ['Skip to the content'], f'{address}: begins with {names[:1]}')
    check(len(names) >= reachable, f'{address}: {len(names)} of {reachable} reached')


def figures(browser, console):
    """The rows of the free report are those of the API."""
    query = 'provenance=test&by=app&columns=postbacks,installs,redownloads,wins,losses&period=7d'
    browser.open(f'{console}/explore?{query}')
    shown = browser.evaluate(checks.FIGURES)
    names = ['postbacks', 'installs', 'redownloads', 'wins', 'losses']
    rows = json.loads(fetch(f'{console}/v1/report?{query}&format=json'))['rows']
    expected = [[row['app'], *(str(row[name]) for name in names)] for row in rows]
    check(shown == expected and shown, f'explore: {shown[:3]} is not {expected[:3]}')
    link = browser.evaluate('document.querySelector(".file a").href')
    lines = list(csv.reader(io.StringIO(fetch(link))))[1:]
    check([line for line in lines if line[0] != 'total'] == expected, f'CSV: {lines[:3]}')


def login(browser, folder):
    """Logging in with the keyboard alone, and out."""
    token = run('tokens', 'create', '--name', 'person', '--scope', 'report,manage', '--file', 'tokens.json', cwd=folder)
    server, _, console = serve(folder, '--tokens', 'tokens.json')
    try:
        browser.show(360, 'light')
        browser.open(console + '/explore?by=app')
        check(browser.evaluate('location.pathname') == '/login', 'no login')
        browser.picture(os.path.join(out, 'login-360-light.png'))
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
    finally:
        server.terminate()
        server.wait(30)


def main():
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    browser = Browser()
    with tempfile.TemporaryDirectory(prefix='skan-pages-') as folder:
        try:
            run('simulate', '--count', '1', '--keys', 'keys', '--output', 'keys', cwd=folder)
            keys = [word for name in ('p192', 'p256') for word in ('--trust-test-key', f'keys/test-{name}.public.pem')]
            server, postbacks, console = serve(folder, *keys)
            try:
                look(browser, console, 'empty', '', [360, 1440])
                run('simulate', '--count', '3000', '--keys', 'keys', '--post', postbacks + '/skadnetwork/postbacks',
                    cwd=folder, allowed=(0, 1))
                # What is hostile in fields that are kept as received.
                for text in ('"><script>alert(1)</script>', 'a\u2063b\u202ec', 'n' * 4_000):
                    body = json.dumps({'version': '4.0', 'ad-network-id': text, 'transaction-id': text}).encode()
                    request = urllib.request.Request(
                        postbacks + '/skadnetwork/postbacks', body, {'Content-Type': 'application/json'})
                    try:
                        urllib.request.urlopen(request, timeout=20).read()
                    except urllib.error.HTTPError as error:
                        check(error.code < 500, f'hostile: {error.code}')
                look(browser, console, 'full', 'provenance=test&period=7d', [360, 768, 1440])
                for path in ('/', '/explore?by=app&provenance=test&period=7d', '/quarantine'):
                    walk(browser, console + path)
                figures(browser, console)
            finally:
                server.terminate()
                server.wait(30)
            login(browser, folder)
        finally:
            browser.close()
    print(f'{len(os.listdir(out))} pictures in {out}')
    if failures:
        raise SystemExit(f'{len(failures)} checks FAILED')
    print('all pages are as they should be')


main()
