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
  all('table').forEach(t => { if (!t.caption) found.push('a table without caption'); });
  all('th').forEach(t => { if (!t.scope) found.push('a heading without scope: ' + t.textContent); });
  all('input:not([type=hidden]), select').forEach(f => { if (!f.labels.length) found.push('no label: ' + f.name); });
  all('svg:not([aria-hidden]):not(.plot)').forEach(s => {
    if (!s.getAttribute('aria-label')) found.push('an image without a name');
    if (!s.closest('figure')?.querySelector('table, .empty')) found.push('a chart without a table');
  });
  all('a, button, summary').forEach(a => {
    if (!a.textContent.trim() && !a.getAttribute('aria-label')) found.push('no name: ' + a.outerHTML);
    const box = a.getBoundingClientRect();
    if (a.checkVisibility() && !a.classList.contains('skip') && box.height < 17) found.push('small: ' + a.textContent);
  });
  const ids = all('[id]').map(e => e.id);
  if (new Set(ids).size !== ids.length) found.push('an id twice');
  if (all('script, [style], iframe').length) found.push('a script or a style of its own');
  return found;
})()
'''

# Wider than the screen: only parts that scroll by themselves may be.
WIDTH = 'document.scrollingElement.scrollWidth - innerWidth'

# The focused element, and whether it can be seen that it is.
FOCUS = r'''
(() => {
  const e = document.activeElement;
  if (!e || e === document.body) return null;
  e.dataset.walked = Number(e.dataset.walked || 0) + 1;
  const style = getComputedStyle(e);
  return {name: (e.getAttribute('aria-label') || e.textContent || e.name || '').trim().slice(0, 40),
          tag: e.tagName, again: Number(e.dataset.walked) > 1,
          visible: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2};
})()
'''

# Everything that a keyboard has to reach.
REACHABLE = r'''
[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary, [tabindex="0"]')]
  .filter(e => e.checkVisibility()).length
'''

FIGURES = r'''
[...document.querySelectorAll('#report tbody tr')].map(row => [row.querySelector('th').textContent.trim(),
  ...[...row.querySelectorAll('td data')].map(d => d.value)])
'''
