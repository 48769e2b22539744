import { createTheme } from '@mantine/core';

/** Fonts of the system: nothing comes from elsewhere. */
const SANS = 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif';
const MONO = 'ui-monospace, "SF Mono", "JetBrains Mono", Menlo, Consolas, "Liberation Mono", monospace';

export const theme = createTheme({
  fontFamily: SANS,
  fontFamilyMonospace: MONO,
  headings: { fontFamily: SANS, fontWeight: '650' },
  defaultRadius: 'md',
  primaryColor: 'teal',
  primaryShade: { light: 9, dark: 7 },
  autoContrast: true,
  cursorType: 'pointer',
});
