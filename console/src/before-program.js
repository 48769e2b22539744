// Stands in the page that is drawn by the build, before its program is there: the colours that the person chose, and what they ask of it.
{
  let chosen = null;
  try {
    chosen = localStorage.getItem('mantine-color-scheme-value');
  } catch {
    // A browser that keeps nothing for this page.
  }
  const isDark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  const { dataset } = document.documentElement;
  dataset.mantineColorScheme = isDark ? 'dark' : 'light';
  const isDrawnByBuild = () => document.querySelector('#root[data-drawn-by-build]') !== null;
  addEventListener('submit', (event) => {
    if (!isDrawnByBuild()) return;
    event.preventDefault();
    dataset.early = 'submit';
  });
  addEventListener('click', ({ target }) => {
    if (!isDrawnByBuild()) return;
    if (target.closest('button[name=passkey]') !== null) dataset.early = 'passkey';
    // Where the person goes on to afterwards.
    const link = target.closest('a[href="/console/register"]');
    if (link !== null) link.search = location.search;
  });
}
