/** Returns the message without a leading `<name>: `, for layouts that show the name of the rule separately. */
export function withoutName(message: string, name: string | null): string {
  if (name === null || name === '' || !message.startsWith(`${name}: `)) return message;
  return message.slice(name.length + 2);
}
