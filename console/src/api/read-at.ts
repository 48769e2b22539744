/** An answer, and when it was read, in milliseconds since 1970. */
export type ReadAt<Answer> = Answer & { readonly readAt: number };

export async function withReadAt<Answer extends object>(answer: Promise<Answer>): Promise<ReadAt<Answer>> {
  return { ...(await answer), readAt: Date.now() };
}
