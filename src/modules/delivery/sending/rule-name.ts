/** The message without the rule's name in front, for layouts that show the name separately. */
export function withoutName(message: string, name: string | null): string {
  if (name === null || name === '' || !message.startsWith(`${name}: `)) return message;
  return message.slice(name.length + 2);
}
