/** Runs before the first paint, so that a chosen theme does not flash. Without a choice the system's counts. */
document.documentElement.classList.add('js');
try {
  const chosen = localStorage.getItem('topgate-theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch {
  // Storage may be forbidden; the system's theme then counts.
}
