"""What is measured within a page."""

# Every text against what is behind it (WCAG 2.2, 1.4.3), as far as backgrounds are plain, which all are.
CONTRAST = r'''
(() => {
  const parse = c => { const m = c.match(/[\d.]+/g).map(Number); return m.length > 3 ? m : [...m, 1]; };
  const part = v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
  const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  const behind = e => {
    for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c[3] > 0) return c; }
    return [255, 255, 255, 1];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
    const element = node.parentElement;
    if (!node.data.trim() || !element.checkVisibility() || element.closest('title')) continue;
    const style = getComputedStyle(element);
    const color = parse(element.closest('svg') ? style.fill : style.color);
    const [a, b] = [light(color), light(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) found.push(ratio.toFixed(2) + ' ' + node.data.trim().slice(0, 40));
  }
  // What is no text needs 3 to 1 (1.4.11): marks of charts, and the line around what has the focus.
  const against = (color, element, name) => {
    const [a, b] = [light(parse(color)), light(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 3) found.push(ratio.toFixed(2) + ' ' + name);
  };
  const mark = (selector, property) => {
    const element = document.querySelector(selector);
    if (element) against(getComputedStyle(element)[property], element.closest('section, .card'), selector);
  };
  mark('.column', 'fill');
  mark('.former', 'stroke');
  mark('.part rect', 'fill');
  const probe = document.createElement('span');
  document.body.append(probe);
  probe.style.color = 'var(--focus)';
  for (const part of document.querySelectorAll('body, header, .card')) against(getComputedStyle(probe).color, part, 'focus');
  probe.remove();
  return found;
})()
'''

# What a reader with a screen reader or a keyboard needs.
STRUCTURE = r'''
(() => {
  const found = [];
  const all = s => [...document.querySelectorAll(s)];
  if (!document.documentElement.lang) found.push('no language');
  if (!document.title) found.push('no title');
  if (all('h1').length !== 1 || all('main').length !== 1) found.push('not one heading in one main part');
  ['header', 'nav', 'footer'].forEach(p => { if (all('body > ' + p + ', header > ' + p).length !== 1) found.push('not one ' + p); });
  let level = 0;
  all('h1, h2, h3, h4, h5, h6').forEach(h => {
    if (Number(h.tagName[1]) > level + 1) found.push('a heading that is too deep: ' + h.textContent);
    level = Number(h.tagName[1]);
  });
  all('table').forEach(t => {
    if (!t.caption?.textContent.trim()) found.push('a table without caption');
    if (!t.tHead) found.push('a table without headings of columns');
    if ([...t.rows].some(r => [...r.cells].reduce((n, c) => n + c.colSpan, 0) !== t.rows[0].cells.length))
      found.push('a row that is not as long as others: ' + t.caption.textContent);
    [...t.tBodies[0].rows].forEach(r => { if (r.cells[0].tagName !== 'TH') found.push('a row without heading'); });
    if (!t.closest('.scroll')) found.push('a table that widens the page');
    if (!t.closest('.table').querySelector('a[download]') && !location.pathname.endsWith('requeue'))
      found.push('a table without a file: ' + t.caption.textContent);
  });
  const names = all('section, nav, [role=region]').map(e => e.getAttribute('aria-label')
    || document.getElementById(e.getAttribute('aria-labelledby'))?.textContent || '');
  if (names.some(n => !n.trim())) found.push('a part without a name');
  all('.number').forEach(c => {
    if (getComputedStyle(c).textAlign !== 'right') found.push('a number that is not at the right: ' + c.textContent);
  });
  all('th').forEach(t => { if (!t.scope) found.push('a heading without scope: ' + t.textContent); });
  all('input:not([type=hidden]), select').forEach(f => { if (!f.labels.length) found.push('no label: ' + f.name); });
  all('svg:not([aria-hidden])').forEach(s => {
    if (!s.getAttribute('aria-label')) found.push('an image without a name');
    if (!s.closest('figure')?.querySelector('table, .empty')) found.push('a chart without a table');
  });
  all('svg[role=img]').filter(s => s.checkVisibility()).forEach(s => {
    const edge = s.closest('figure').getBoundingClientRect(), words = [...s.querySelectorAll('text')].filter(t => t.checkVisibility());
    for (const word of words) {
      const box = word.getBoundingClientRect();
      if (box.left < edge.left - 1 || box.right > edge.right + 1 || box.bottom > edge.bottom + 1)
        found.push('a word of a chart that is cut off: ' + word.textContent);
    }
    words.filter(t => t.classList.contains('label')).reduce((before, t) => {
      const box = t.getBoundingClientRect();
      if (before && box.left < before.right) found.push('labels of a chart that touch: ' + t.textContent);
      return box;
    }, null);
    if (s.querySelectorAll('.tick').length < 2) found.push('an axis without numbers');
  });
  all('a, button, summary').forEach(a => {
    if (!a.textContent.trim() && !a.getAttribute('aria-label')) found.push('no name: ' + a.outerHTML);
    const box = a.getBoundingClientRect();
    // WCAG 2.2, 2.5.8; links within sentences are exempt.
    const least = a.closest('p, dd') || a.classList.contains('skip') ? 16 : 24;
    if (a.checkVisibility() && box.height < least) found.push('small: ' + a.textContent.trim() + ' ' + box.height);
  });
  const ids = all('[id]').map(e => e.id);
  if (new Set(ids).size !== ids.length) found.push('an id twice');
  if (all('script, [style], iframe').length) found.push('a script or a style of its own');
  return found;
})()
'''

# Wider than the screen: only parts that scroll by themselves may be.
WIDTH = 'document.scrollingElement.scrollWidth - innerWidth'

# The focused element, and what a person would miss of it.
FOCUS = r'''
(() => {
  const e = document.activeElement;
  if (!e || e === document.body) return null;
  const style = getComputedStyle(e), problems = [];
  if (style.outlineStyle === 'none' || parseFloat(style.outlineWidth) < 2) problems.push('no visible focus');
  const lines = [...e.getClientRects()].filter(r => r.width > 0 && r.height > 0);
  const seen = lines.some(r => {
    const [x, y] = [Math.max(r.left, 0) + Math.min(r.width / 2, 8), Math.max(r.top, 0) + Math.min(r.height / 2, 8)];
    const top = document.elementFromPoint(x, y);
    return top && (e.contains(top) || top.contains(e));
  });
  if (!seen) problems.push('focus that is out of sight');
  return {index: [...document.querySelectorAll('*')].indexOf(e), tag: e.tagName, problems,
          name: (e.getAttribute('aria-label') || e.textContent || e.name || '').trim().slice(0, 40),
          isFolded: e.tagName === 'SUMMARY' && !e.parentElement.open};
})()
'''

# Everything that a keyboard has to reach, in the document's order.
ORDER = r'''
(() => {
  const all = [...document.querySelectorAll('*')];
  return [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary, [tabindex="0"]')]
    .filter(e => e.checkVisibility()).map(e => [all.indexOf(e), e.outerHTML.slice(0, 60)]);
})()
'''

# A link of each kind: those that lead to the same path from the same column or part of the page are alike.
LINKS = r'''
(() => {
  const all = [...document.querySelectorAll('*')], kinds = new Map();
  for (const a of document.querySelectorAll('main a[href]:not([download])')) {
    const part = a.closest('th, td, .choices, .conditions, p');
    const kind = [part?.closest('table')?.id, part?.tagName, part?.cellIndex, new URL(a.href).pathname].join();
    if (!kinds.has(kind)) kinds.set(kind, [all.indexOf(a), a.href]);
  }
  return [...kinds.values()];
})()
'''

# Where the files of tables are.
FILES = r'''
(() => [...document.querySelectorAll('a[download]')].map(a => a.href))()
'''

FIGURES = r'''
[...document.querySelectorAll('#report tbody tr')].map(row => [row.querySelector('th').textContent.trim(),
  ...[...row.querySelectorAll('td data')].map(d => d.value)])
'''
