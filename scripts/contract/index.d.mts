import type { ValidateFunction } from 'ajv/dist/2020.js';

/** Each function returns a sentence for each fault, which begins with the file to edit. */
export declare function faultsOfOperationIds(
  document: object,
  kept: string,
  fileOf: (operationId: string) => string,
): string[];
export declare function faultsOfFreeForm(document: object): string[];
export declare function faultsOfExamples(document: object, forClients: object): string[];

/** The controller that names an operation. */
export declare function controllerOf(operationId: string): string;

/** The compiled schemas of a document. `place` names a schema: each is compiled once. */
export declare class Validators {
  constructor(document: object);
  /** An answer has the members of its schema and no other ones. */
  ofAnswer(place: string, schema: object): ValidateFunction;
  /** A request may have further members, and numbers as text. */
  ofRequest(place: string, schema: object): ValidateFunction;
}
