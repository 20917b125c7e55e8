// Command fieldtable prints what the Go declarations of the built-in kinds say about their JSON form
// and OpenAPI does not: which fields are pointers, which are left out when empty, protobuf numbers.
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// roots are the kinds that are served or read as bodies; every type they reach is printed.
var roots = []any{
	corev1.Namespace{}, corev1.Node{}, corev1.Pod{}, corev1.Binding{}, corev1.Service{}, corev1.Endpoints{},
	corev1.ConfigMap{}, corev1.Secret{}, corev1.ServiceAccount{}, corev1.PersistentVolumeClaim{},
	corev1.PersistentVolume{}, corev1.Event{}, eventsv1.Event{},
	appsv1.StatefulSet{}, appsv1.ControllerRevision{}, appsv1.Deployment{}, appsv1.ReplicaSet{},
	policyv1.PodDisruptionBudget{}, policyv1.Eviction{},
	autoscalingv1.HorizontalPodAutoscaler{}, autoscalingv1.Scale{}, autoscalingv2.HorizontalPodAutoscaler{},
	coordinationv1.Lease{},
	rbacv1.Role{}, rbacv1.RoleBinding{}, rbacv1.ClusterRole{}, rbacv1.ClusterRoleBinding{},
	resourcev1.ResourceClaim{}, resourcev1.ResourceClaimTemplate{},
	schedulingv1.PriorityClass{}, apiextensionsv1.CustomResourceDefinition{},
	metav1.DeleteOptions{}, metav1.Status{},
}

// leaves have a JSON form of their own; their fields are not looked at.
var leaves = map[string]bool{
	"k8s.io/apimachinery/pkg/api/resource.Quantity":                                         true,
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString":                                       true,
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":                                             true,
	"k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime":                                        true,
	"k8s.io/apimachinery/pkg/apis/meta/v1.Duration":                                         true,
	"k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1":                                         true,
	"k8s.io/apimachinery/pkg/runtime.RawExtension":                                          true,
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON":                         true,
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrArray":       true,
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrBool":        true,
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrStringArray": true,
}

type field struct {
	Name          string `json:"name"`
	Type          string `json:"type"`
	OmitEmpty     bool   `json:"omitEmpty,omitempty"`
	OmitZero      bool   `json:"omitZero,omitempty"`
	PatchStrategy string `json:"patchStrategy,omitempty"`
	PatchMergeKey string `json:"patchMergeKey,omitempty"`
	// Protobuf holds the numbers on the way to the field; embedded structs are messages of their own there.
	Protobuf []string `json:"protobuf,omitempty"`
	// Embedded holds the Go names of the embedded structs on the way; decoding errors mention them.
	Embedded []string `json:"embedded,omitempty"`
}

// place is where a struct's fields stand inside the struct that embeds it.
type place struct{ protobuf, embedded []string }

func (p place) inside(f reflect.StructField) place {
	return place{append(slices.Clone(p.protobuf), protobufNumber(f)...), append(slices.Clone(p.embedded), f.Name)}
}

var types = map[string][]field{}

func main() {
	for _, root := range roots {
		visit(reflect.TypeOf(root))
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(types); err != nil {
		panic(err)
	}
}

func visit(t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		visit(t.Elem())
	case reflect.Struct:
		name := qualified(t)
		if _, seen := types[name]; seen || leaves[name] {
			return
		}
		types[name] = nil
		types[name] = fieldsOf(t, place{})
	}
}

func fieldsOf(t reflect.Type, outer place) []field {
	fields := []field{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" && f.Anonymous {
			fields = append(fields, fieldsOf(f.Type, outer.inside(f))...)
			continue
		}
		if name == "" || name == "-" {
			continue
		}
		fields = append(fields, field{
			Name:          name,
			Type:          describe(f.Type),
			OmitEmpty:     strings.Contains(options, "omitempty"),
			OmitZero:      strings.Contains(options, "omitzero"),
			PatchStrategy: f.Tag.Get("patchStrategy"),
			PatchMergeKey: f.Tag.Get("patchMergeKey"),
			Protobuf:      outer.inside(f).protobuf,
			Embedded:      outer.embedded,
		})
		visit(f.Type)
	}
	return fields
}

func protobufNumber(f reflect.StructField) []string {
	parts := strings.Split(f.Tag.Get("protobuf"), ",")
	if len(parts) < 2 {
		return nil
	}
	return []string{parts[1]}
}

func qualified(t reflect.Type) string { return t.PkgPath() + "." + t.Name() }

// describe spells a type the way Go does, with full package paths: `[]k8s.io/api/core/v1.Container`.
func describe(t reflect.Type) string {
	if t.PkgPath() != "" && t.Kind() == reflect.Struct {
		return qualified(t)
	}
	if t.PkgPath() != "" {
		return qualified(t) + "=" + underlying(t)
	}
	return underlying(t)
}

func underlying(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + describe(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + describe(t.Elem())
	case reflect.Map:
		return "map[" + t.Key().Kind().String() + "]" + describe(t.Elem())
	default:
		return t.Kind().String()
	}
}
