import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

/** System fonts: no font is loaded from another origin. */
const SANS = 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif';
const MONO = 'ui-monospace, "SF Mono", "JetBrains Mono", Menlo, Consolas, "Liberation Mono", monospace';

/** The blue-green of the logo. */
const SEA: MantineColorsTuple = [
  '#eaf6f7',
  '#d9edef',
  '#b3dbe0',
  '#88c8d0',
  '#5fb4bf',
  '#3b9fac',
  '#20828f',
  '#12707d',
  '#0c5f6b',
  '#094a54',
];

/** Cool greys, from the text to the page. The library's own are warm and lie close together. */
const DARK: MantineColorsTuple = [
  '#e8ebf0',
  '#c3cad3',
  '#aab3bf',
  '#8d97a5',
  '#2c343f',
  '#232a34',
  '#1a1f27',
  '#13171d',
  '#0c0f13',
  '#080a0d',
];

export const theme = createTheme({
  fontFamily: SANS,
  fontFamilyMonospace: MONO,
  headings: { fontFamily: SANS, fontWeight: '650' },
  defaultRadius: 'md',
  colors: { sea: SEA, dark: DARK },
  primaryColor: 'sea',
  primaryShade: { light: 7, dark: 8 },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Badge: { defaultProps: { tt: 'none' } },
    // A reason is longer than a phone is wide.
    Tooltip: { defaultProps: { multiline: true, maw: 320 } },
    // The placeholder is an element without a role, which a menu must not have.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
  },
});

/** Replaces colours of the library whose contrast is too low for small text (WCAG 1.4.3). */
export const readable: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#fff',
    '--mantine-color-dimmed': '#5a636d',
    '--mantine-color-placeholder': '#6b747d',
    '--mantine-color-orange-light-color': '#8f3106',
    '--mantine-color-red-light-color': '#a51d1d',
    '--mantine-color-red-filled': '#c92a2a',
    '--mantine-color-red-filled-hover': '#b02525',
    '--mantine-color-gray-light': '#e9ecf0',
    '--mantine-color-gray-light-color': '#40474e',
  },
  dark: {
    '--mantine-color-dimmed': '#a6adb4',
    '--mantine-color-placeholder': '#9aa1a8',
    '--mantine-color-gray-light': 'var(--mantine-color-dark-4)',
    '--mantine-color-anchor': 'var(--mantine-color-sea-3)',
  },
});
