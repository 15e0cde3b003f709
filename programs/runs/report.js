// The page of a run: an opened question is marked in the summary and in the document, and both scroll to it.

const questions = all("details.question");
const wide = matchMedia("(min-width: 70rem)");

function clear() {
  all("mark.now").forEach(mark => mark.classList.remove("now"));
}

function point(number) {
  clear();
  const marks = all(`mark[data-q~="${number}"]`);
  marks.forEach(mark => mark.classList.add("now"));
  for (const id of ["summary", "document"]) {
    const pane = document.getElementById(id);
    const mark = marks.find(candidate => pane.contains(candidate));
    if (mark) bring(pane, mark);
  }
  const places = new Set(marks.map(mark => mark.closest(".pane").id));
  announce(`Question ${number}: marked in ` + (places.size ? [...places].join(" and ") : "no text"));
}

// Blocks out of sight have only an estimated height, so the place is corrected once they have been laid out.
function bring(pane, mark, tries = 4) {
  const gap = mark.getBoundingClientRect().top - pane.getBoundingClientRect().top - pane.clientHeight / 3;
  if (Math.abs(gap) > 1) pane.scrollTop += gap;
  if (tries) requestAnimationFrame(() => bring(pane, mark, tries - 1));
}

function open(number) {
  const question = document.getElementById("q" + number);
  if (!question) return;
  question.hidden = false;
  question.open = true;
  if (wide.matches) bring(document.getElementById("quiz"), question);
}

questions.forEach(question => question.addEventListener("toggle", () => {
  if (question.open) point(question.dataset.number);
  else if (!questions.some(other => other.open)) clear();
}));

all("mark[data-q]").forEach(mark => mark.addEventListener("click", () => open(mark.dataset.q.split(" ")[0])));

// Links to a question open it; links to feedback unfold the list that holds it.
all("a[href^='#']").forEach(link => link.addEventListener("click", () => {
  const target = document.getElementById(link.getAttribute("href").slice(1));
  if (!target) return;
  if (target.matches("details.question")) open(target.dataset.number);
  else if (target.closest("details")) target.closest("details").open = true;
}));

const filters = all("button[data-show]");
filters.forEach(button => button.addEventListener("click", () => {
  filters.forEach(other => other.setAttribute("aria-pressed", String(other === button)));
  const wanted = button.dataset.show;
  questions.forEach(question => { question.hidden = wanted !== "" && question.dataset.mark !== wanted; });
  announce(questions.filter(question => !question.hidden).length + " questions shown");
}));
