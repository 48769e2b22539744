/** Of this answer of the service: its policy takes no written style without it. */
export const NONCE = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

/** Where the component library's lock of scrolling looks for it. */
Object.assign(globalThis, { __webpack_nonce__: NONCE });
