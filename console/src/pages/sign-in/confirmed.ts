/** The address that the person has confirmed in this tab. The sign-in page begins with it. */
export const confirmed = { email: '' };
