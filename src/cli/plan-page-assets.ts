/** How the page of a plan looks and scrubs. It is read as it is: no font, image or script is fetched. */

export const pageStyle = `
:root{color-scheme:light dark;--back:#fff;--text:#1b1f24;--soft:#5b6570;--line:#d8dee4;--good:#1a7f37;
--bad:#c0262d;--wait:#8a5a00;--fill:#b6e3c1;--card:#f6f8fa}
@media (prefers-color-scheme:dark){:root{--back:#0f1419;--text:#e6e9ec;--soft:#9aa4af;--line:#2e363f;--good:#56d06f;
--bad:#ff7b72;--wait:#e3b341;--fill:#1f4d2c;--card:#171d24}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:16px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:1rem}
h1{font-size:1.4rem;margin:.5rem 0;overflow-wrap:anywhere}
h2{font-size:1.05rem;margin:1.5rem 0 .5rem}
.verdict{font-size:1.2rem;font-weight:600;margin:0}
.completes{color:var(--good)}.stalls{color:var(--bad)}.rests,.nothing{color:var(--wait)}
.warnings{padding:0;list-style:none}
.warnings li{background:var(--card);border-left:4px solid var(--wait);padding:.5rem .75rem;margin:.5rem 0}
.warnings li{overflow-wrap:anywhere}
.scrub{display:grid;grid-template-columns:auto 1fr;gap:0 .5rem;position:sticky;top:0;padding:.5rem 0;z-index:1}
.scrub{background:var(--back)}
.scrub input{grid-column:1/-1;width:100%;height:2rem;margin:0;accent-color:var(--good)}
.scrub output{font-variant-numeric:tabular-nums;font-weight:600}
.row{border-bottom:1px solid var(--line);padding:.5rem 0}
.name{display:flex;justify-content:space-between;gap:1rem;overflow-wrap:anywhere}
.now{font-variant-numeric:tabular-nums;white-space:nowrap}
svg{width:100%;height:40px;display:block;background:var(--card)}
.area{fill:var(--fill);stroke:var(--good);stroke-width:1;vector-effect:non-scaling-stroke}
.promise{stroke:var(--bad);stroke-dasharray:4 3;vector-effect:non-scaling-stroke}
.cursor{stroke:var(--text);stroke-width:2;vector-effect:non-scaling-stroke}
.summary,small{color:var(--soft);font-size:.85rem;display:block}
.broken .summary{color:var(--bad)}
ol{list-style:none;padding:0;max-height:24rem;overflow:auto;border:1px solid var(--line)}
ol li{display:grid;grid-template-columns:4rem 1fr;gap:.5rem;padding:.35rem .5rem;overflow-wrap:anywhere}
ol li{border-bottom:1px solid var(--line)}
ol li.done{opacity:.6}ol li[aria-current]{background:var(--card);opacity:1;border-left:4px solid var(--good)}
time{font-variant-numeric:tabular-nums;color:var(--soft)}
.fields{padding-left:1.2rem}.fields li{overflow-wrap:anywhere}
del{color:var(--bad)}ins{color:var(--good);text-decoration:none}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem}dt{color:var(--soft)}
dd{margin:0;overflow-wrap:anywhere}
@media (max-width:30rem){dl{grid-template-columns:1fr}dd{margin-bottom:.5rem}ol li{grid-template-columns:3rem 1fr}}
`.trim();

export const pageScript = `
const slider = document.querySelector("input[type=range]");
const text = (seconds) => seconds < 120 ? seconds + "s"
  : Math.floor(seconds / 60) + "m" + (seconds % 60 ? seconds % 60 + "s" : "");
const rows = [...document.querySelectorAll(".row")].map((row) => ({
  now: row.querySelector(".now"), cursor: row.querySelector(".cursor"), desired: row.dataset.desired,
  curve: row.dataset.curve.split(" ").filter(Boolean).map((point) => point.split(":").map(Number)),
}));
const steps = [...document.querySelectorAll("ol li")].map((item) => ({ item, at: Number(item.dataset.at) }));
function show() {
  const at = Number(slider.value);
  document.querySelector("output").textContent = text(at);
  for (const { now, cursor, desired, curve } of rows) {
    const point = curve.findLast(([seconds]) => seconds <= at);
    now.textContent = (point ? point[1] : 0) + " of " + desired;
    const x = 600 * at / Number(slider.max);
    cursor.setAttribute("x1", x); cursor.setAttribute("x2", x);
  }
  const current = steps.findLast((step) => step.at <= at);
  for (const { item, at: due } of steps) {
    item.classList.toggle("done", due < at);
    if (current && item === current.item) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
  }
  const list = document.querySelector("ol");
  if (list && current) list.scrollTop = current.item.offsetTop - list.offsetTop - 40;
}
if (slider) { slider.addEventListener("input", show); show(); }
`.trim();
