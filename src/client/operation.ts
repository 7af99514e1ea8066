/** Types of one operation, out of the types that are made from the OpenAPI documents. */

/** The JSON of a successful answer. */
export type Answer<Operation> = Operation extends { readonly responses: infer Responses }
  ? { [Status in keyof Responses & (200 | 201)]: JsonOf<Responses[Status]> }[keyof Responses & (200 | 201)]
  : never;

/** The JSON body that it takes. */
export type Body<Operation> = Operation extends { readonly requestBody?: infer Content }
  ? JsonOf<NonNullable<Content>>
  : never;

/** Its query parameters. */
export type Query<Operation> = Operation extends {
  readonly parameters: { readonly query?: infer Parameters };
}
  ? NonNullable<Parameters>
  : never;

type JsonOf<Content> = Content extends { readonly content: { readonly 'application/json': infer Json } }
  ? Json
  : never;
