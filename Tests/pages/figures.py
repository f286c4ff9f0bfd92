"""The figures and marks of a page against the JSON of the API."""
import json
from decimal import Decimal

# The cells of every section: numbers as programs find them, and otherwise the text; those of before apart.
SECTIONS = r'''
(() => {
  const before = e => e.closest('.change') !== null;
  const read = cell => {
    if (cell.classList.contains('campaign')) {
      // Ids and names, which are one cell.
      return {ids: [...cell.querySelectorAll('bdi')].map(b => b.textContent), now: [], before: []};
    }
    const numbers = [...cell.querySelectorAll('data')];
    const now = numbers.filter(d => !before(d)).map(d => d.value);
    const rest = cell.cloneNode(true);
    rest.querySelectorAll('.change, svg').forEach(e => e.remove());
    return {now: now.length ? now : [rest.textContent.trim()], before: numbers.filter(before).map(d => d.value)};
  };
  return Object.fromEntries([...document.querySelectorAll('main section.card')].map(section => {
    const table = section.querySelector('table'), figures = section.querySelector('.figures'), chart = section.querySelector('svg[role=img]');
    const rows = table ? [...table.tBodies[0].rows].map(r => [...r.cells].map(read))
      : figures ? [[...figures.querySelectorAll('dd')].map(read)] : [];
    const totals = table?.tFoot ? [...table.tFoot.rows[0].cells].map(read) : null;
    const length = (e, name) => parseFloat(e.getAttribute(name));
    const marks = chart ? {
      top: Number([...chart.querySelectorAll('.tick')].pop().textContent.replaceAll(',', '')),
      columns: [...chart.querySelectorAll('rect.column')].map(r => length(r, 'height')),
      former: [...chart.querySelectorAll('line.former')].map(l => 100 - length(l, 'y1')),
      unit: section.querySelector('.unit')?.textContent, labels: chart.querySelectorAll('.label').length,
    } : null;
    return [section.getAttribute('aria-labelledby')?.replace(/-title$/, ''), {rows, totals, marks, isTable: table !== null}];
  }));
})()
'''


# The columns that one cell of a page shows, and those that it has only where they say something.
NAMES = {'network', 'app', 'app-name', 'campaign-id', 'source-identifier', 'campaign-name', 'source-app',
         'source-domain', 'source-app-name'}
HINTS = {'campaign-mapping', 'candidates', 'installs-change'}


def texts(value):
    """How a page has a value of the API."""
    if value is None:
        return ['–']
    if isinstance(value, dict):
        lower, upper = texts(value['at-least'])[0], texts(value['at-most'])[0]
        return [lower] if lower == upper else [lower, upper]
    if isinstance(value, bool):
        return [str(value).lower()]
    return [visible(str(value))]


def visible(text, most=80):
    """A text as a cell shows it: what is invisible is spelled out, and what is long is cut."""
    shown, count = '', 0
    for letter in text:
        if count >= most:
            return shown + '…'
        piece = letter if letter.isprintable() else f'\\u{{{ord(letter):x}}}'
        shown, count = shown + piece, count + len(piece)
    return shown


def same(shown, expected):
    if expected == ['–'] and shown == ['none']:
        # Of a name rather than a figure.
        return True

    def plain(text):
        try:
            return Decimal(text)
        except ArithmeticError:
            return text
    return len(shown) == len(expected) and all(plain(a) == plain(b) for a, b in zip(shown, expected))


def compare(shown, report, where, check):
    """Every cell, total and mark of a report's page."""
    count = 0
    for section in report['sections']:
        if (where, section['section']) == ('overview', 'campaigns'):
            # The first page has the whole table of a report in its place.
            continue
        place = f'{where} {section["section"]}'
        page = shown.get(section['section'])
        if page is None:
            check(False, f'{place}: is not on the page')
            continue
        check(len(page['rows']) == len(section['rows']), f'{place}: {len(page["rows"])} rows of {len(section["rows"])}')
        lines = list(zip(page['rows'], section['rows']))
        if section['totals'] and page['rows']:
            check(page['totals'] is not None, f'{place}: no totals')
            lines += [(page['totals'] or [], section['totals'])]
        for cells, row in lines:
            columns = section['columns'] if page['isTable'] else [
                column for column in section['columns'] if column['kind'] not in ('key', 'text', 'time')]
            if cells and 'ids' in cells[0]:
                shown = ' '.join(cells[0]['ids'])
                for column in (c for c in columns if c['name'] in NAMES and row[c['name']]):
                    count += 1
                    value = visible(str(row[column['name']]))
                    check(value in shown, f'{place} {column["name"]}: {shown} is without {value}')
                cells = cells[1:]
            if any('ids' in line[0] for line in page['rows'][:1]):
                columns = [column for column in columns if column['name'] not in NAMES | HINTS]
                cells = cells[1:] if row is section['totals'] else cells
            for cell, column in zip(cells, columns):
                name = column['name']
                if row is section['totals'] and column['kind'] in ('key', 'text'):
                    continue
                count += 1
                check(same(cell['now'], texts(row[name])), f'{place} {name}: {cell["now"]} is not {row[name]}')
                previous = (row.get('previous') or {}).get(name)
                if previous is not None:
                    check(same(cell['before'], texts(previous)), f'{place} {name}: before {cell["before"]} is not {previous}')
        marks = page['marks']
        if marks:
            figure = next(c['name'] for c in section['columns'] if c['kind'] == 'count')
            wanted = [Decimal(row[figure]) * 100 / Decimal(marks['top']) for row in section['rows']]
            check(len(wanted) == len(marks['columns']), f'{place}: {len(marks["columns"])} marks of {len(wanted)}')
            wrong = [(a, b) for a, b in zip(marks['columns'], wanted) if abs(Decimal(a) - b) > Decimal('0.006')]
            check(not wrong, f'{place}: marks {wrong[:3]}')
            former = [row['previous'][figure] for row in section['rows'] if row.get('previous')]
            former = [Decimal(value) * 100 / Decimal(marks['top']) for value in former if value is not None]
            if marks['former']:
                wrong = [(a, b) for a, b in zip(marks['former'], former) if abs(Decimal(a) - b) > Decimal('0.006')]
                check(len(former) == len(marks['former']) and not wrong, f'{place}: marks of before {wrong[:3]}')
            check(marks['unit'] and 1 <= marks['labels'] <= 5, f'{place}: axes without words: {marks}')
    return count


def read(text):
    return json.loads(text, parse_float=str)
