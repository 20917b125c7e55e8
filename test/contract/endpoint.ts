/** The API server that a suite is pointed at: all a client needs to know of it. */

export interface ApiEndpoint {
  readonly url: string;
  /** PEM; absent for plain http. */
  readonly ca?: string;
  readonly token: string;
}
