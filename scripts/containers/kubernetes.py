"""Looks at the manifests of packaging/kubernetes: an overlay as it comes out, each object against Kubernetes's schemas, and
whether the objects fit each other, the image and the gateway.

Kustomize itself is a program that Debian and PyPI do not have. What the overlays use of it (resources, namespace, images,
patches of JSON operations, ConfigMaps of files) is applied here.
"""

import re
import subprocess

import jsonpatch
import kubernetes_validate
import yaml

#: The newest version whose schemas are looked at, and the oldest that is still kept up.
VERSIONS = ["1.31", "1.34"]
KEYS = {"apiVersion", "kind", "namespace", "resources", "images", "patches", "configMapGenerator"}
CLUSTER_WIDE = {"Namespace"}


def rendered(folder):
    """The objects of a folder with a kustomization; names of ConfigMaps have no digest of their contents behind them."""
    kustomization = yaml.safe_load((folder / "kustomization.yaml").read_text())
    if unknown := set(kustomization) - KEYS:
        raise SystemExit(f"{folder}: {sorted(unknown)} is not applied here")
    objects = []
    for name in kustomization["resources"]:
        path = folder / name
        objects += rendered(path) if path.is_dir() else list(yaml.safe_load_all(path.read_text()))
    for made in kustomization.get("configMapGenerator", []):
        there = [one for one in objects if one["kind"] == "ConfigMap" and one["metadata"]["name"] == made["name"]]
        if bool(there) != (made.get("behavior") == "replace"):
            raise SystemExit(f"{folder}: the ConfigMap {made['name']} is {len(there)} times there before")
        data = {name: (folder / name).read_text() for name in made["files"]}
        for one in there:
            objects.remove(one)
        objects.append({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": made["name"]}, "data": data})
    for patch in kustomization.get("patches", []):
        hit = [index for index, one in enumerate(objects)
               if one["kind"] == patch["target"]["kind"] and one["metadata"]["name"] == patch["target"]["name"]]
        if len(hit) != 1:
            raise SystemExit(f"{folder}: {patch['target']} is {len(hit)} objects")
        operations = yaml.safe_load((folder / patch["path"]).read_text())
        objects[hit[0]] = jsonpatch.apply_patch(objects[hit[0]], operations)
    for one in objects:
        if "namespace" in kustomization and one["kind"] not in CLUSTER_WIDE:
            one["metadata"]["namespace"] = kustomization["namespace"]
        for image in kustomization.get("images", []):
            for container in containers(one):
                if container["image"] == image["name"]:
                    container["image"] = f"{image['newName']}:{image['newTag']}"
    return objects


def containers(one):
    return one["spec"]["template"]["spec"]["containers"] if one["kind"] == "Deployment" else []


def findings(folder, stage, executable, credentials):
    """What is wrong, a line each.

    stage: the image's last; credentials: variables with which a gateway starts.
    """
    for overlay in [folder / "base", *sorted((folder / "overlays").iterdir())]:
        objects = rendered(overlay)
        for one in objects:
            for version in VERSIONS:
                try:
                    kubernetes_validate.validate(one, version, strict=True)
                except kubernetes_validate.ValidationError as error:
                    yield f"{overlay.name}: {one['kind']}: {error.message}"
        for line in fit(objects, stage):
            yield f"{overlay.name}: {line}"
        yield from configuration(objects, overlay, executable, credentials)


def covers(ports, wanted):
    return any(port["port"] <= wanted <= port.get("endPort", port["port"]) for port in ports if "port" in port)


def fit(objects, stage):
    """Whether what one object says of another is so."""
    by_kind = {one["kind"]: one for one in objects}
    pod = by_kind["Deployment"]["spec"]["template"]
    spec, container = pod["spec"], pod["spec"]["containers"][0]
    labels, ports = pod["metadata"]["labels"], {port["name"] for port in container["ports"]}
    policy = by_kind["NetworkPolicy"]["spec"]
    for kind, selector in [
        ("Deployment", by_kind["Deployment"]["spec"]["selector"]["matchLabels"]),
        ("Service", by_kind["Service"]["spec"]["selector"]),
        ("PodDisruptionBudget", by_kind["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"]),
        ("NetworkPolicy", policy["podSelector"]["matchLabels"]),
    ]:
        if not selector or not selector.items() <= labels.items():
            yield f"{kind} does not select the gateway's pods"
    named = [container[probe]["httpGet"]["port"] for probe in ("startupProbe", "livenessProbe", "readinessProbe")]
    named += [port["targetPort"] for port in by_kind["Service"]["spec"]["ports"]]
    named += [port["port"] for rule in policy["ingress"] for port in rule["ports"]]
    for port in set(named) - ports:
        yield f"the gateway has no port {port}"
    if spec.get("enableServiceLinks") is not False:
        yield "a service of the namespace sets variables that have the names of keys"
    if not any("to" not in rule and covers(rule["ports"], 6379) for rule in policy["egress"]):
        yield "a Redis outside of the cluster cannot be reached"
    if str(spec["securityContext"]["runAsUser"]) != stage.user.partition(":")[0]:
        yield f"the image's user is {stage.user}"
    if by_kind["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"]["name"] != by_kind["Deployment"]["metadata"]["name"]:
        yield "the autoscaler scales something else"
    wait = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
    # A stop takes 30 seconds at most with the default shutdown.timeout.
    if spec["terminationGracePeriodSeconds"] < wait + 30:
        yield "a gateway is killed before it has stopped in order"
    mounted = {volume["name"] for volume in spec["volumes"]}
    for mount in container["volumeMounts"]:
        if mount["name"] not in mounted:
            yield f"there is no volume {mount['name']}"


def configuration(objects, overlay, executable, credentials):
    """Whether the gateway takes the configuration, and listens where the container says."""
    text = next(one for one in objects if one["kind"] == "ConfigMap")["data"]["fanfare.yaml"]
    file = credentials["folder"] / f"{overlay.name}.yaml"
    file.write_text(text)
    variables = {**credentials["variables"], "FANFARE_REDIS_URL": "redis://redis:6379",
                 "FANFARE_EVENTS_SEALING_KEY_FILE": str(credentials["sealing_key"])}
    done = subprocess.run(
        [executable, "check-config", "--show", "--config", file], env=variables, text=True, capture_output=True)
    if done.returncode:
        yield f"{overlay.name}: the configuration: {done.stdout}{done.stderr}"
    container = containers(next(one for one in objects if one["kind"] == "Deployment"))[0]
    for port in container["ports"]:
        section = re.search(rf"^{port['name']}:\n((?: .*\n)+)", text, re.M)
        if not section or f"port: {port['containerPort']}\n" not in section[1]:
            yield f"{overlay.name}: nothing listens at the port {port['name']}"
