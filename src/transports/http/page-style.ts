/** The style of the page at the root: one column, system fonts, light and dark. */
export const STYLE = `
:root{color-scheme:light dark;--paper:#fdfcfa;--ink:#1d2129;--soft:#565d6b;--line:#dcdad4;--card:#fff;--code:#f3f1ec;--accent:#0b5c64}
@media (prefers-color-scheme:dark){:root{--paper:#14171c;--ink:#e8e6e1;--soft:#a5abb8;--line:#333842;--card:#1b1f26;--code:#11141a;--accent:#7fd0d6}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;-webkit-text-size-adjust:100%}
main,footer{max-width:46rem;margin:0 auto;padding:0 1.25rem}
header{padding:3rem 0 0}
h1{margin:0;font-size:clamp(1.7rem,6vw,2.4rem);line-height:1.2;letter-spacing:-.015em;overflow-wrap:anywhere}
h2{margin:2.5rem 0 .75rem;font-size:1.2rem}
h3{display:inline;margin:0;font-size:1rem}
p{margin:.5rem 0}
.lead{color:var(--soft);font-size:1.05rem}
.said{white-space:pre-line;overflow-wrap:anywhere}
pre,code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:.9rem}
pre{margin:.6rem 0 0;padding:.8rem 1rem;background:var(--code);border:1px solid var(--line);border-radius:.5rem;white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.5;user-select:all;-webkit-user-select:all;tab-size:2}
summary:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.url{font-size:1rem;color:var(--accent);font-weight:600}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.45rem 1.5rem;margin:0;padding:1rem 1.25rem;background:var(--card);border:1px solid var(--line);border-radius:.6rem}
dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere}
details{background:var(--card);border:1px solid var(--line);border-radius:.6rem;margin:.6rem 0}
summary{padding:.7rem 1rem;cursor:pointer;border-radius:.6rem}
details>div{padding:0 1rem 1rem}
.where{color:var(--soft);margin:0;font-size:.95rem}
section>.where{margin:.6rem 0}
ul{margin:.25rem 0;padding-left:1.2rem}
li{overflow-wrap:anywhere}
footer{color:var(--soft);font-size:.9rem;padding-top:2rem;padding-bottom:3rem}
@media (max-width:30rem){header{padding-top:2rem}dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.6rem}dd:last-child{margin-bottom:0}}
`;
