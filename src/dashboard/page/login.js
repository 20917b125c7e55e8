/** Signing in with a token of the cluster, where the dashboard was started so. */
import { at, signIn } from "./connection.js";

let onSignedIn = () => undefined;

let hasTried = false;

/** Shows the form instead of everything else; goes on when a token was given. */
export function askToSignIn(begin) {
  onSignedIn = begin;
  at("login-said").textContent = hasTried ? "The cluster does not know this token." : "";
  at("connection").textContent = "not signed in";
  at("login").hidden = false;
  at("layout").hidden = true;
  at("login-token").focus();
}

export function drawUser(user) {
  const isSignedIn = user !== undefined;
  at("user").hidden = !isSignedIn;
  at("sign-out").hidden = !isSignedIn;
  at("user").textContent = isSignedIn ? `signed in as ${user}` : "";
}

at("login-form").addEventListener("submit", (event) => {
  event.preventDefault();
  hasTried = true;
  signIn(at("login-token").value.trim());
  at("login-token").value = "";
  at("login").hidden = true;
  at("layout").hidden = false;
  onSignedIn();
});

/** The memory of the page is all there is to forget. */
at("sign-out").addEventListener("click", () => location.reload());
