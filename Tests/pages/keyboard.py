"""What a person without a mouse does on a page."""
from checks import FOCUS, LINKS, ORDER

# More than any page has: a trap ends here.
MOST = 2_000


def walk(browser, address, check):
    """Tab reaches everything that can be used, once, in the document's order, opens what is folded, and leaves."""
    browser.open(address)
    visited, names = [], []
    for _ in range(MOST):
        browser.press('Tab')
        focus = browser.evaluate(FOCUS)
        if focus is None or (visited and focus['index'] in visited[:-1]):
            break
        if visited and focus['index'] == visited[-1]:
            # A field for a date has several parts.
            continue
        visited.append(focus['index'])
        names.append(focus['name'])
        for problem in focus['problems']:
            check(False, f'{address}: {problem}: {focus["tag"]} {focus["name"]}')
        if focus['isFolded']:
            browser.press('Enter')
            check(not browser.evaluate(FOCUS)['isFolded'], f'{address}: Enter does not open {focus["name"]}')
    else:
        check(False, f'{address}: Tab never leaves')
    order = browser.evaluate(ORDER)
    check(names[:1] == ['Skip to the content'], f'{address}: begins with {names[:1]}')
    check(visited == sorted(visited), f'{address}: the order is not that of the document')
    missed = [name for index, name in order if index not in visited]
    check(not missed, f'{address}: not reached: {missed[:5]}')
    backwards = []
    for _ in range(min(5, len(visited))):
        browser.press('Tab', shift=True)
        focus = browser.evaluate(FOCUS)
        if focus is not None and (not backwards or focus['index'] != backwards[-1]):
            backwards.append(focus['index'])
    check(backwards == sorted(backwards, reverse=True), f'{address}: Shift and Tab do not go back')
    return len(visited)


def skip(browser, address, check):
    """The first link leads past the navigation."""
    browser.open(address)
    browser.press('Tab')
    browser.press('Enter')
    check(browser.evaluate('document.activeElement.id') == 'content', f'{address}: the first link does not skip')
    browser.press('Tab')
    check(browser.evaluate('!!document.activeElement.closest("main")'), f'{address}: Tab does not go on from there')


def follow(browser, address, check):
    """Enter follows a link of each kind to its address, which has a page."""
    browser.open(address)
    links = browser.evaluate(LINKS)
    for index, link in links:
        browser.open(address)
        browser.evaluate(
            f'(e => {{ for (let d = e.closest("details"); d; d = d.parentElement.closest("details")) d.open = true; '
            f'e.focus(); }})(document.querySelectorAll("*")[{index}])')
        browser.events = []
        browser.press('Enter')
        browser.wait('Page.loadEventFired')
        check(browser.evaluate('location.href') == link, f'{address}: Enter does not lead to {link}')
        check(browser.statuses().get(link, 200) == 200, f'{address}: {link} is answered {browser.statuses()}')
    return len(links)


def fill(browser, address, field, text, expected, check):
    """Enter in a field sends its form."""
    browser.open(address)
    browser.evaluate(
        f'(f => {{ const d = f.closest("details"); if (d) d.open = true; f.focus(); f.select(); }})'
        f'(document.getElementById("{field}"))')
    browser.call('Input.insertText', text=text)
    browser.events = []
    browser.press('Enter')
    browser.wait('Page.loadEventFired')
    found = browser.evaluate('location.search')
    check(expected in found, f'{address}: Enter in {field} leads to {found}')
