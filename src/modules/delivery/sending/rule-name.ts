/** The message without the name of its rule in front, for readers who see the name beside it. */
export function withoutName(message: string, name: string | null): string {
  if (name === null || name === '' || !message.startsWith(`${name}: `)) return message;
  return message.slice(name.length + 2);
}
