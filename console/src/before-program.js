// Keeps what people do on the sign-in page that the build has rendered, until the program of the page has loaded.
{
  const { dataset } = document.documentElement;
  const isDrawnByBuild = () => document.querySelector('#root[data-drawn-by-build]') !== null;
  // Shows why a sign-in was refused, and hides the form when the second factor follows, before the program does so.
  const error = new URLSearchParams(location.search).get('error');
  if (error !== null) dataset.error = error;
  if (location.hash.includes('challenge_token=')) dataset.challenged = '';
  addEventListener('submit', (event) => {
    if (!isDrawnByBuild()) return;
    event.preventDefault();
    dataset.early = 'submit';
  });
  addEventListener('click', ({ target }) => {
    if (!isDrawnByBuild()) return;
    for (const name of ['passkey', 'company'])
      if (target.closest(`button[name=${name}]`) !== null) dataset.early = name;
    // Where the person goes on to afterwards.
    const link = target.closest('a[href="/console/register"]');
    if (link !== null) link.search = location.search;
  });
}
