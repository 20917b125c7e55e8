/** A new image: played in a copy of the cluster first, then set; on `up` also a broken one by one click. */
import { ask, at, codeOf, element, redraw } from "./connection.js";
import { act, pushBroken, say } from "./actions.js";
import { inNamespace } from "./words.js";

let openedId;

/** What each container runs now. */
let imagesNow = new Map();
/** What the field was filled with, until somebody writes something else. */
let filled = "";

export function drawImageForm(id, images, { canPlan, canBreak, mayAct }) {
  if (openedId !== id) {
    for (const part of ["planned", "plan-command"]) at(part).hidden = true;
    at("image").value = filled = "";
  }
  openedId = id;
  drawContainers(id, images);
  at("change").hidden = images.length === 0 || (!canPlan && !mayAct);
  at("set-image").hidden = !mayAct;
  at("push-broken").hidden = !mayAct || !canBreak;
  at("plan").hidden = !canPlan;
}

/** One of them, or all: what a container runs stands in the field, ready to be changed. */
function drawContainers(id, images) {
  imagesNow = new Map(images.map(({ place, image }) => [place, image]));
  const places = [...imagesNow.keys()];
  redraw(at("container"), [id, places], () => [
    ...places.map((place) => element("option", {}, place)),
    ...(places.length > 1 ? [element("option", { value: "*" }, "every container")] : []),
  ]);
  fillImage();
}

function fillImage() {
  const field = at("image");
  const now = imagesNow.get(at("container").value) ?? "";
  if (field.value !== filled || filled === now || document.activeElement === field) return;
  field.value = filled = now;
}
at("container").addEventListener("change", fillImage);

const images = () => [{ container: at("container").value, image: at("image").value.trim() }];

at("image-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const [{ container, image }] = images();
  if (image === "") return;
  const which = container === "*" ? "every container" : container;
  void act(
    { verb: "setImage", images: images() },
    { question: `Set ${which} to ${image}?`, command: commandOf("set image", "") },
  );
});

/** `lockstep plan sts/web --image '*=web:v2'`. */
function commandOf(verb, flag) {
  const [{ container, image }] = images();
  const [word, namespace, name] = openedId.split("/");
  return `lockstep ${verb} ${word}/${name} ${flag}'${container}=${image}'${inNamespace(namespace)}`;
}

at("plan").addEventListener(
  "click",
  () =>
    void say(async () => {
      at("said").textContent = "playing it in a copy of the cluster";
      const { text, verdict } = await ask("plan", { rollout: openedId, images: images() });
      at("planned").hidden = false;
      at("planned").textContent = text;
      at("plan-command").hidden = false;
      at("plan-command").replaceChildren(
        "The same on a command line: ",
        codeOf(commandOf("plan", "--image ")),
      );
      return { message: `planned: ${verdict}` };
    }),
);
at("push-broken").addEventListener("click", () => void pushBroken(openedId));
