const PATHS = {
  overview: 'M3 13h8V3H3zM13 21h8V11h-8zM3 21h8v-6H3zM13 3v6h8V3z',
  logs: 'M4 6h16M4 12h16M4 18h10',
  chart: 'M4 20V4M4 20h16M8 16v-4M12 16V8M16 16v-6',
  dashboard: 'M4 4h7v9H4zM13 4h7v5h-7zM13 11h7v9h-7zM4 15h7v5H4z',
  grip: 'M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01',
  pin: 'M9 3h6l-1 6 4 4H6l4-4zM12 13v8',
  whole: 'M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5',
  gauge: 'M4 18a8.5 8.5 0 1 1 16 0M12 15l4-5',
  query: 'M8 8l-4 4 4 4M16 8l4 4-4 4M13 6l-2 12',
  download: 'M12 4v11M7 11l5 5 5-5M4 20h16',
  bookmark: 'M6 3h12v18l-6-5-6 5z',
  close: 'M6 6l12 12M18 6L6 18',
  key: 'M15.5 3.5a5 5 0 1 1-4.4 7.4L4 18v2.5h3v-2h2v-2h2l2.1-2.1M16.5 7.5h.01',
  rocket: 'M5 15c-2 2-2 5-2 5s3 0 5-2M9 15l-3-3c2-6 6-9 14-9 0 8-3 12-9 14zM15 9h.01',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM20 20l-4-4',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z',
  user: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM4 21c0-4 4-6 8-6s8 2 8 6',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  check: 'M5 12l5 5L20 7',
  bell: 'M6 16v-5a6 6 0 0 1 12 0v5l2 2H4zM10 21h4',
  rule: 'M3 17l5-6 4 4 8-9M3 9h4M14 20h7',
  mute: 'M6 16v-5a6 6 0 0 1 9-5.2M18 11v5l2 2H8M10 21h4M4 4l16 16',
  shield: 'M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6zM9 12l2 2 4-4',
  target: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 12h.01',
  channel: 'M4 6h16v12H4zM4 7l8 6 8-6',
  sent: 'M21 3L10 14M21 3l-7 18-4-7-7-4z',
  past: 'M4 12a8 8 0 1 0 3-6.2M4 4v4h4M12 8v4l3 2',
  dead: 'M5 12a7 7 0 1 1 14 0v4h-3v4H8v-4H5zM9.5 12h.01M14.5 12h.01',
  cross: 'M6 6l12 12M18 6L6 18',
  again: 'M20 12a8 8 0 1 1-3-6.2M20 4v4h-4',
  devices: 'M3 5h13v10H3zM7 19h5M18 9h3v10h-6v-2',
  people: 'M9 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM3 20c0-3.5 3-5 6-5s6 1.5 6 5M16 5a3 3 0 0 1 0 6M17.5 15c2 .5 3.5 2 3.5 5',
  mail: 'M3 6h18v12H3zM3 7l9 6 9-6',
  settings: 'M4 7h10M18 7h2M4 17h2M10 17h10M16 5a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM8 15a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
  activity: 'M12 7v5l3 2M3.5 9a9 9 0 1 1-.5 3M3 4v5h5',
  source: 'M4 7c0-2 16-2 16 0s-16 2-16 0zM4 7v10c0 2 16 2 16 0V7M4 12c0 2 16 2 16 0',
  secret: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3M12 15v2',
  folder: 'M3 6h6l2 2h10v11H3z',
  card: 'M3 6h18v12H3zM3 10h18M7 15h4',
  left: 'M14 6l-6 6 6 6',
  right: 'M10 6l6 6-6 6',
  wider: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM20 20l-4-4M8 11h6',
  down: 'M6 9l6 6 6-6',
  up: 'M6 15l6-6 6 6',
  keyboard: 'M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M8 14h8',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  docs: 'M6 3h9l4 4v14H6zM14 3v5h5M9 13h7M9 17h7',
} as const;

export type IconName = keyof typeof PATHS;

interface Props {
  readonly name: IconName;
  readonly size?: number;
}

/** An icon next to a word that says the same, or in a control that has a name. Screen readers skip it. */
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
