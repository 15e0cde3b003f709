// The page of an evaluation: one document at a time, the summaries of the chosen systems side by side.

const data = readData();
const choice = document.getElementById("document-choice");
const first = data.shown;

function card(place, entry) {
  const article = make("article", "", { className: "card" });
  article.append(make("h3", data.systems[place]));
  if (!entry) article.append(make("p", "not run yet", { className: "open" }));
  else if (entry.summary === null) article.append(make("p", "no summary: " + entry.error, { className: "bad" }));
  else {
    const words = entry.summary.split(/\s+/).filter(Boolean).length;
    const scores = Object.entries(entry.scores).map(([heading, value]) => heading + " " + value);
    article.append(make("p", [words + " words", ...scores].join(" · "), { className: "soft small" }));
    article.append(make("div", entry.summary, { className: "text", dir: "auto", tabIndex: 0 }));
  }
  return article;
}

function show() {
  const shown = all("#systems input:checked").map(input => Number(input.value));
  const row = data.cells[choice.selectedIndex] || [];
  document.getElementById("summaries").replaceChildren(...shown.map(place => card(place, row[place])));
  announce(shown.length + " summaries of " + choice.value);
}

function step(by) {
  choice.selectedIndex = (choice.selectedIndex + by + data.ids.length) % data.ids.length;
  show();
}

choice.append(...data.ids.map(id => make("option", id)));
document.getElementById("systems").append(...data.systems.map((name, place) => {
  const label = make("label");
  const box = make("input", "", { type: "checkbox", value: place, checked: first.includes(place) });
  box.addEventListener("change", show);
  label.append(box, make("bdi", name));
  return label;
}));
choice.addEventListener("change", show);
document.getElementById("previous").addEventListener("click", () => step(-1));
document.getElementById("next").addEventListener("click", () => step(1));
show();
