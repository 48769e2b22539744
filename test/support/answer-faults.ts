/** How answers of the apps of this test file differed from the OpenAPI document. */
export const answerFaults: string[] = [];
