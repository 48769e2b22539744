/**
 * Returns an address as users other than its owner see it: the first character and the domain, as in
 * `j***@example.com`.
 */
export function maskedAddress(email: string): string {
  const at = email.lastIndexOf('@');
  const [first = ''] = email;
  return `${first}***${email.slice(at)}`;
}
