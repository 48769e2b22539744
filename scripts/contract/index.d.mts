/** Each function returns a sentence for each fault, which begins with the file to edit. */
export declare function faultsOfOperationIds(
  document: object,
  kept: string,
  fileOf: (operationId: string) => string,
): string[];
export declare function faultsOfFreeForm(document: object): string[];
/** Takes the document for clients in OpenAPI 3.0. */
export declare function faultsOfGenerators(document: object): string[];
export declare function faultsOfExamples(document: object, forClients: object): string[];

/** The controller that names an operation. */
export declare function controllerOf(operationId: string): string;
