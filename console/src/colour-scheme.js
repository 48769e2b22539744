// Shows a page that the build has rendered in the colours that the person chose, and else in those of the system.
{
  const darkSystem = matchMedia('(prefers-color-scheme: dark)');
  const chosen = () => {
    try {
      return localStorage.getItem('mantine-color-scheme-value');
    } catch {
      // The browser stores nothing for this page.
      return null;
    }
  };
  const show = () => {
    const choice = chosen();
    const isDark = choice === 'dark' || (choice !== 'light' && darkSystem.matches);
    document.documentElement.dataset.mantineColorScheme = isDark ? 'dark' : 'light';
  };
  show();
  darkSystem.addEventListener('change', show);
}
