/** The icon of both pages: a line of events, one of them highlighted. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#173647"/>
<path d="M5 20h5l3-5 3 7 4-15 3 13h4" fill="none" stroke="#62a03f" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round"/>
</svg>
`;
