const LEFT = 10, WIDE = 1180, LETTER = 6.6;
const calls = [...document.querySelectorAll("g.call")].map(g => ({
  g, rect: g.querySelector("rect"), text: g.querySelector("text"),
  name: g.querySelector("title").textContent.split("\n")[0],
  x: +g.dataset.x, w: +g.dataset.w, d: +g.dataset.d,
}));
const place = (call, x, w) => {
  call.rect.setAttribute("x", x);
  call.rect.setAttribute("width", w);
  call.text.setAttribute("x", x + 3);
  const letters = Math.floor((w - 6) / LETTER);
  call.text.textContent = call.name.length <= letters ? call.name
    : letters < 3 ? "" : call.name.slice(0, letters - 1) + "…";
};
const zoom = at => {
  for (const call of calls) {
    const within = call.d >= at.d && call.x >= at.x && call.x + call.w <= at.x + at.w;
    const below = call.d < at.d && call.x <= at.x && call.x + call.w >= at.x + at.w;
    call.g.style.display = within || below ? "" : "none";
    call.g.classList.toggle("below", below);
    if (within) place(call, LEFT + (call.x - at.x) / at.w * WIDE, call.w / at.w * WIDE);
    if (below) place(call, LEFT, WIDE);
  }
};
const button = document.getElementById("find");
const find = () => {
  const asked = prompt("Find functions whose name contains");
  if (asked === null) return;
  let end = -1, sum = 0;
  const found = calls.filter(call => asked !== "" && call.name.includes(asked));
  calls.forEach(call => call.g.classList.toggle("found", found.includes(call)));
  // Of calls within each other the outermost counts.
  for (const call of [...found].sort((a, b) => a.x - b.x || a.d - b.d)) {
    if (call.x >= end) { sum += call.w; end = call.x + call.w; }
  }
  button.textContent = asked === "" ? "find…" : `“${asked}”: ${(100 * sum / calls[0].w).toFixed(2)} %`;
};
for (const call of calls) call.g.addEventListener("click", () => zoom(call));
button.addEventListener("click", find);
button.textContent = "find…";
