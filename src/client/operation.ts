/** Types of an operation, derived from the types generated from the OpenAPI documents. */

/** The JSON of a successful response. */
export type ResponseBody<Operation> = Operation extends { readonly responses: infer Responses }
  ? { [Status in keyof Responses & (200 | 201)]: JsonOf<Responses[Status]> }[keyof Responses & (200 | 201)]
  : never;

/** The JSON request body. */
export type RequestBody<Operation> = Operation extends { readonly requestBody?: infer Content }
  ? JsonOf<NonNullable<Content>>
  : never;

/** The query parameters. */
export type Query<Operation> = Operation extends {
  readonly parameters: { readonly query?: infer Parameters };
}
  ? NonNullable<Parameters>
  : never;

type JsonOf<Content> = Content extends { readonly content: { readonly 'application/json': infer Json } }
  ? Json
  : never;
