/** The differences between the answers in this test file and the OpenAPI document. */
export const answerFaults: string[] = [];
