// Search over headings and names, and a button that copies code. Pages are complete without it.
const search = document.querySelector("#search"), found = document.querySelector("#found"), root = document.documentElement.dataset.root;
const entries = globalThis.tileworkHeadings ?? []; // [heading, page, address]

/** Those that hold every word, the ones that begin with the first word before the others. */
function matches(query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const rank = ([heading]) => heading.toLowerCase().startsWith(words[0]) ? heading.length : 1000 + heading.length;
  return entries
    .filter(([heading, page]) => words.every((word) => `${heading} ${page}`.toLowerCase().includes(word)))
    .sort((a, b) => rank(a) - rank(b)).slice(0, 12);
}

search.hidden = false;
search.addEventListener("input", () => {
  found.replaceChildren(
    ...matches(search.value).map(([heading, page, address]) => {
      const item = document.createElement("li"), link = document.createElement("a"), where = document.createElement("small");
      link.href = root + address;
      where.textContent = ` ${page}`;
      link.append(heading, where);
      item.append(link);
      return item;
    }),
  );
});
search.addEventListener("keydown", ({ key }) => {
  if (key === "Enter") found.querySelector("a")?.click();
});

for (const pre of document.querySelectorAll("pre")) {
  if (!navigator.clipboard) break; // a page opened from a file may have none
  const button = document.createElement("button"), text = pre.textContent;
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
    setTimeout(() => button.textContent = "Copy", 1500);
  });
  pre.append(button);
}
