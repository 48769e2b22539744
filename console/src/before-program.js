// Keeps what people do on the sign-in page that the build has rendered, until the program of the page has loaded.
{
  const { dataset } = document.documentElement;
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
