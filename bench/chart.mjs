import { summarise } from './tables.mjs';

// The chart of the document, drawn by hand: a panel a work, a bar a subject, the floor as a line at one.

const PANELS = ['http-session', 'http-stateless', 'stdio-64', 'http-list-1000', 'initialize', 'mixed'];
const COLUMN = 450;
const LABEL = 150;
const BAR = 215;
const ROW = 20;
const TITLE = 44;
const MARGIN = 20;

const STYLE = `
  .paper { fill: #ffffff } .text { fill: #1f2328 } .faint { fill: #59636e } .line { stroke: #59636e }
  .ours { fill: #0a7d4b } .floor { fill: #8c959f } .peer { fill: #5b8def }
  text { font: 12px system-ui, sans-serif } .title { font-weight: 600; font-size: 13px }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117 } .text { fill: #e6edf3 } .faint { fill: #9198a1 } .line { stroke: #9198a1 }
    .ours { fill: #2ea56f } .floor { fill: #6e7681 } .peer { fill: #4a78cf }
  }`;

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const colourOf = (id) => (id.startsWith('parley') ? 'ours' : id === 'floor' ? 'floor' : 'peer');

function barOf({ id, name, ratios }, { x, y, scale }) {
  const value = ratios.perSecond;
  const width = Math.max(1, value * scale);
  const said = `${value.toFixed(value < 0.1 ? 3 : 2)}×`;
  return [
    `<text class="text" x="${x + LABEL - 8}" y="${y + 14}" text-anchor="end">${escaped(name)}</text>`,
    `<rect class="${colourOf(id)}" x="${x + LABEL}" y="${y + 3}" width="${width.toFixed(1)}" height="${ROW - 6}" rx="2"/>`,
    `<text class="faint" x="${(x + LABEL + width + 6).toFixed(1)}" y="${y + 14}">${said}</text>`,
  ];
}

function panelOf(result, { x, y }) {
  const rows = summarise(result).filter(({ ratios }) => ratios.perSecond !== undefined);
  const scale = BAR / Math.max(1, ...rows.map(({ ratios }) => ratios.perSecond));
  const top = y + TITLE - 16;
  const one = (x + LABEL + scale).toFixed(1);
  const bars = rows.flatMap((row, index) => barOf(row, { x, y: top + index * ROW, scale }));
  return [
    `<text class="text title" x="${x}" y="${y + 14}">${escaped(result.work.title)}</text>`,
    ...bars,
    `<line class="line" x1="${one}" x2="${one}" y1="${top}" y2="${top + rows.length * ROW}" stroke-dasharray="2 3"/>`,
  ];
}

const heightOf = ({ rows }) => TITLE + rows.length * ROW;

/** An SVG of throughput as a share of the floor's. */
export function drawChart(results) {
  const shown = PANELS.map((id) => results.find(({ work }) => work.id === id)).filter(
    (result) => result?.rows.some(({ id }) => id === 'floor') === true,
  );
  const parts = [];
  let y = MARGIN + 30;
  for (let at = 0; at < shown.length; at += 2) {
    const pair = shown.slice(at, at + 2);
    for (const [index, result] of pair.entries()) parts.push(...panelOf(result, { x: MARGIN + index * COLUMN, y }));
    y += Math.max(...pair.map(heightOf));
  }
  const width = MARGIN * 2 + COLUMN * 2;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${y + MARGIN}" viewBox="0 0 ${width} ${y + MARGIN}" role="img" aria-label="Throughput as a share of a bare Node server's">`,
    `<style>${STYLE}\n</style>`,
    `<rect class="paper" width="100%" height="100%" rx="8"/>`,
    `<text class="faint" x="${MARGIN}" y="${MARGIN + 8}">Throughput as a share of a bare Node server's (dashed line): longer is better</text>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}
