/** The API server that a suite runs against, as far as a client needs to know it. */

export interface ApiEndpoint {
  readonly url: string;
  /** PEM; absent for plain http. */
  readonly ca?: string;
  readonly token: string;
}
