/** The one error of the module, with the names that the addon gives its errors. */
export class WasmError extends Error {
  override readonly name = 'WasmError';
  /** `INVALID_ARGUMENT`, `NO_DECODER`, `DAMAGED` and so on; `INTERNAL` for a fault of the module. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
