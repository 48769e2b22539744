/** An address as people other than its owner see it: `j***@example.com`, the first character and the domain. */
export function maskedAddress(email: string): string {
  const at = email.lastIndexOf('@');
  const [first = ''] = email;
  return `${first}***${email.slice(at)}`;
}
