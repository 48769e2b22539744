/** The logo: a line of events, one of them highlighted. */
export function Mark() {
  return (
    <svg width={30} height={30} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#173647" />
      <path
        d="M5 20h5l3-5 3 7 4-15 3 13h4"
        fill="none"
        stroke="#7cc65a"
        strokeWidth="2.5"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
