/** The nonce of this response. Its policy allows no inline style without the nonce. */
export const NONCE = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';

/** The component library's scroll lock reads the nonce from this variable. */
Object.assign(globalThis, { __webpack_nonce__: NONCE });
