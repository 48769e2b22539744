export type SeriesColor = 'sea' | 'orange' | 'grape' | 'blue' | 'wine' | 'olive' | 'gray' | 'red' | 'yellow' | 'teal';

type Scheme = 'light' | 'dark';

/** Any two colours can be told apart with normal sight and with each form of colour blindness. */
export const PALETTE: Readonly<Record<Scheme, Readonly<Record<SeriesColor, string>>>> = {
  light: {
    sea: '#0f7886',
    orange: '#bf6a28',
    grape: '#6b1fa6',
    blue: '#2590e8',
    wine: '#6a1535',
    olive: '#55531a',
    gray: '#8c96a2',
    red: '#cc3a3a',
    yellow: '#c27a0a',
    teal: '#2a8f5f',
  },
  dark: {
    sea: '#3fa9b6',
    orange: '#d9a05f',
    grape: '#7a6cf5',
    blue: '#9dc0fa',
    wine: '#e8227f',
    olive: '#f4ea98',
    gray: '#737d8b',
    red: '#e5605c',
    yellow: '#d99a26',
    teal: '#3fae78',
  },
};

export interface Inks {
  readonly text: string;
  readonly grid: string;
  readonly firing: string;
  readonly pending: string;
  /** Two hexadecimal digits: how opaque a firing band is below its cap. */
  readonly tint: string;
  readonly mark: string;
  readonly background: string;
}

export const INKS: Readonly<Record<Scheme, Inks>> = {
  light: {
    text: '#47505c',
    grid: '#0000000f',
    firing: '#cc3a3a',
    pending: '#c27a0a',
    tint: '24',
    mark: '#6d28d9',
    background: '#ffffff',
  },
  dark: {
    text: '#aab3bf',
    grid: '#ffffff14',
    firing: '#e5605c',
    pending: '#d99a26',
    tint: '33',
    mark: '#b39cff',
    background: '#13171d',
  },
};
