const PATHS = {
  overview: 'M3 13h8V3H3zM13 21h8V11h-8zM3 21h8v-6H3zM13 3v6h8V3z',
  logs: 'M4 6h16M4 12h16M4 18h10',
  key: 'M15.5 3.5a5 5 0 1 1-4.4 7.4L4 18v2.5h3v-2h2v-2h2l2.1-2.1M16.5 7.5h.01',
  rocket: 'M5 15c-2 2-2 5-2 5s3 0 5-2M9 15l-3-3c2-6 6-9 14-9 0 8-3 12-9 14zM15 9h.01',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM20 20l-4-4',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z',
  user: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 21c0-4 4-6 8-6s8 2 8 6',
  plus: 'M12 5v14M5 12h14',
  check: 'M5 12l5 5L20 7',
  docs: 'M6 3h9l4 4v14H6zM14 3v5h5M9 13h7M9 17h7',
} as const;

interface Props {
  readonly name: keyof typeof PATHS;
  readonly size?: number;
}

/** Beside a word that says the same, or in a control that has a name: it is told to nobody. */
export function Icon({ name, size = 18 }: Props) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={1.8}
      aria-hidden="true"
    >
      <path d={PATHS[name]} strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
